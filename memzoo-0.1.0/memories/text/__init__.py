"""Messages as text: checking, rendering, counting, grouping, trimming and shortening them."""
