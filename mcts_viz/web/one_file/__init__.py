"""A search as one HTML file that steps by itself: what goes into it (`document`), and the page around it."""
