// Package studies has the study that is built into the program. The other studies in this folder are read from
// their files.
package studies

import _ "embed"

// Sample is the study of the simulator's own sample, in YAML. It is only to be read.
//
//go:embed sample.yaml
var Sample []byte
