// Calls at a constant rate on one service, by k6: what is asked is in the file PLAN, how often in RATE and SECONDS.
// Whoever asked and was refused asks again in a later call; a table's turn stays the same until it is answered.

import { Counter } from 'k6/metrics';
import exec from 'k6/execution';
import grpc from 'k6/net/grpc';

const plan = JSON.parse(open(__ENV.PLAN));
const client = new grpc.Client();
client.load([plan.contracts], plan.contract);

const refused = new Counter('refused');
const failed = new Counter('failed');
const ANSWERED = 'grpc_req_duration{status:0}';

export const options = {
  scenarios: {
    calls: {
      executor: 'constant-arrival-rate',
      rate: Number(__ENV.RATE),
      timeUnit: '1s',
      duration: `${__ENV.SECONDS}s`,
      preAllocatedVUs: plan.callers,
      maxVUs: plan.callers,
      gracefulStop: '15s',
    },
  },
  summaryTrendStats: ['count', 'p(50)', 'p(99)'],
  thresholds: { [ANSWERED]: [`p(99)<=${plan.p99_ms}`], refused: ['count==0'], failed: ['count==0'] },
};

function fresh() {
  const digits = () => Math.floor(Math.random() * 0x100000000).toString(16).padStart(8, '0');
  const all = digits() + digits() + digits() + digits();
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-4${all.slice(13, 16)}-8${all.slice(17, 20)}-${all.slice(20)}`;
}

let connected = false;
let waiting = null; // the raise that has no answer yet

const requests = {
  same: () => plan.request,
  hand: () => {
    const name = fresh();
    return Object.assign({ request_id: fresh(), hand_id: name, table_id: name }, plan.request);
  },
  deposit: () => {
    const player = plan.players[exec.scenario.iterationInTest % plan.players.length];
    return Object.assign({ request_id: fresh(), player_id: player }, plan.request);
  },
  raise: () => {
    const table = plan.tables[(exec.vu.idInTest - 1) % plan.tables.length];
    waiting = waiting || {
      request_id: fresh(),
      table_id: table.table_id,
      player_id: table.players[table.place],
      turn_id: table.turn_id,
      kind: 'ACTION_KIND_RAISE',
      to_chips: table.to_chips,
    };
    return waiting;
  },
};

function raised() {
  const table = plan.tables[(exec.vu.idInTest - 1) % plan.tables.length];
  table.turn_id += 1;
  table.place = (table.place + 1) % table.players.length;
  table.to_chips += plan.step_chips;
  waiting = null;
}

export default function () {
  if (!connected) {
    client.connect(plan.address, { plaintext: true, timeout: '10s' });
    connected = true;
  }
  const how = { metadata: plan.metadata, timeout: '10s', discardResponseMessage: true };
  const response = client.invoke(plan.method, requests[plan.kind](), how);
  if (response.status === grpc.StatusOK) {
    if (waiting) raised();
  } else if (response.status === grpc.StatusResourceExhausted && JSON.stringify(response.error).includes('google.rpc.RetryInfo')) {
    refused.add(1);
  } else {
    failed.add(1);
    console.error(JSON.stringify(response.error).slice(0, 300));
  }
}

export function handleSummary(data) {
  const value = (metric, name) => (data.metrics[metric] ? data.metrics[metric].values[name] : 0);
  const found = {
    answered: value(ANSWERED, 'count'),
    p50_ms: value(ANSWERED, 'p(50)'),
    p99_ms: value(ANSWERED, 'p(99)'),
    refused: value('refused', 'count'),
    failed: value('failed', 'count'),
    dropped: value('dropped_iterations', 'count'),
  };
  return { [__ENV.FOUND]: JSON.stringify(found) };
}
