// Package ledger answers: what does each field of the API decide here? It lists the fields of the kinds that
// decisions may depend on, by reflection over the types of k8s.io/api, and holds a verdict about each.
//
//	go run ./ledger/cmd/ledger      # what the tables say, in numbers, and which fields have no verdict
//	go run ./ledger/cmd/ledger -w   # write the tables anew: fields that are new stand there with "?"
//
// The tables are FIELDS.txt, GATES.txt and CONFIGURATION.txt in this folder, with a line for each field, each
// feature gate of a release, and each field of a KubeSchedulerConfiguration. A verdict is one of three:
//
//	decides   the field alone changes an answer; the line says where this is seen
//	cannot    nothing here depends on it; the line says why
//	told      a component of Kubernetes looks at it and nothing here does; a warning or an error names it
//
// Tests hold the tables to the types in both directions, so that a field that a new release brings fails them
// until somebody says which of the three it is. Package worlds tries each line that can be tried: it sets the
// field alone in a small dump and asks everything that the library answers.
package ledger
