"""What a model is asked. A published version is never edited: facts name the version that drew them; add the next one."""
