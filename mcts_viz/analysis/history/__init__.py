"""A search over time: values, visits, the leading move, and the events worth a mark."""
