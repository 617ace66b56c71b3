"""The headers of a message in REJECTED, which say why it was refused."""

CODE_HEADER = "Memstream-Code"
REASON_HEADER = "Memstream-Reason"
SEQUENCE_HEADER = "Memstream-Sequence"
"""Where it lay in SEND."""
WHOLE_HEADER = "Memstream-Body-Bytes"
"""How long its body was, if only the beginning is kept."""
