"""What pages ask people to fill in, derived from the declarations: fields, cards and the profile's form."""
