"""One module for each memory that is compared; it says how it is filled and asked, by the means that its own pages show."""
