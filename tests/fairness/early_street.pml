/* The guard of a hand against an orchestrator that asks for any street and any seats, at any time, again and again, over
 * crashes of the dealer that lose its answers (F15). `make fairness PARTS=F15` runs it with spin.
 *
 * GUARD 1 is the dealer: a durable record that is written before the answer. GUARD 0 is one without memory, which
 * answers whatever it is asked: the model must find its faults, or it proves nothing.
 *
 * The dealer cannot know whether a betting round is over. So no_early is a claim about an honest orchestrator (HONEST 1),
 * which asks only then. A bought one (HONEST 0) breaks it: that is the named limit, and the run must find it; all other
 * claims hold against it too, and what it asked stands in the record.
 */
#ifndef GUARD
#define GUARD 1
#endif
#ifndef HONEST
#define HONEST 1
#endif
#define STREETS 5
#define LIVE0 3        /* two seats, as bits */

byte due = 1;          /* durable: the street that may be dealt next */
byte live = LIVE0;     /* durable: who was live on the last street */
byte answer[6];        /* the answer that was given to each street: who got cards; 0 is none */
byte recorded[6];      /* durable: the record, street by street */
byte betting_closed = 0; /* streets whose betting round is over at the table */
bool second_answer = false, out_of_order = false, early = false, unrecorded = false, dead_seat = false;
byte crashes = 0;

inline give(street, seats) {
    second_answer = second_answer || (answer[street] != 0 && answer[street] != seats);
    unrecorded = unrecorded || recorded[street] != seats;
    out_of_order = out_of_order || (street > 1 && recorded[street - 1] == 0);
    dead_seat = dead_seat || (street > 1 && (seats & ~recorded[street - 1]) != 0);
    early = early || street > betting_closed + 1;
    answer[street] = seats
}

chan ask = [0] of { byte, byte };

/* The dealer: one question at a time, as the version of the row makes it. */
active proctype dealer() {
    byte street, seats;
end:
    do
    :: ask ? street, seats ->
#if GUARD
        if
        :: atomic { street < due && recorded[street] == seats -> give(street, seats) }   /* asked before: the same answer */
        :: atomic { street == due && (seats & ~live) == 0 ->
               recorded[street] = seats; live = seats; due++ }                           /* written, then told */
            if
            :: atomic { true -> give(street, seats) }
            :: crashes < 2 -> crashes++                                                  /* the answer is lost */
            fi
        :: else -> skip                                                                  /* refused */
        fi
#else
        atomic { true -> give(street, seats) }
#endif
    od
}

/* The orchestrator, honest or bought: any street, any seats, any number of times. */
active proctype orchestrator() {
    byte street, seats, asked = 0;
    do
    :: asked < 7 ->
        asked++;
        select (street : 1 .. STREETS);
        select (seats : 1 .. LIVE0);
#if HONEST
        if
        :: street <= betting_closed + 1 -> ask ! street, seats
        :: else -> skip
        fi
#else
        ask ! street, seats
#endif
    :: betting_closed < STREETS && answer[betting_closed + 1] != 0 -> betting_closed++   /* a round is played to its end */
    :: asked == 7 -> break
    od
}

ltl one_answer { [] !second_answer }
ltl in_order { [] !out_of_order }
ltl live_only { [] !dead_seat }
ltl on_record { [] !unrecorded }
ltl no_early { [] !early }
