"""The strategies: a file for each of the seven classic ones, files for others, and code shared by several of them."""
