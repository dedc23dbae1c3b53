// This file has nothing in it. Its being there lets the tests declare functions whose
// bodies are elsewhere, with go:linkname.
