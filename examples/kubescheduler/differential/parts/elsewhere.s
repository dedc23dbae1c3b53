// Nothing stands here. With this file the tests may declare functions whose bodies are elsewhere (go:linkname).
