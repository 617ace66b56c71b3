"""What templates are given: pure functions of answers. They choose keys of the catalogues, and write no words themselves."""
