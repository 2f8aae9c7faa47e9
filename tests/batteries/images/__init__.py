"""The images, built for real, looked into, and a tournament played through five containers of them."""
