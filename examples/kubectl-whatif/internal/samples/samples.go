// Package samples answers what a newcomer can try: small clusters, each with a ready question and a few
// sentences about what its answer shows.
//
// The cluster of a sample is the cluster of a scenario, whose decision the tests of the library check.
// The test of this package writes the files in the folder dumps from the scenario files, and fails if they
// differ.
package samples

import (
	"bytes"
	"embed"
	"io"
)

// Sample is a cluster to learn from.
type Sample struct {
	// Name selects the sample, and Line describes it in a line.
	Name, Line string
	// Pod is the pod that the sample asks about, as namespace/name.
	Pod string
	// Flags are the flags of the sample's question, in order.
	Flags []Flag
	// Release is the release whose rules the sample needs. It is empty if any will do.
	Release string
	// About says what the answer shows, and what to try next.
	About string
	// Leave are the names of the pods that leave according to the answer, in its order.
	Leave []string
	// Scenario is the file that the cluster comes from, relative to the library's folder. Case is the beginning
	// of the prose above the question there. Both are empty for Default.
	Scenario, Case string
}

// Flag is a flag of the command line with its value.
type Flag struct{ Name, Value string }

// Default is the name of the sample that is used if no cluster is named. It comes from no scenario, and its
// dump is kept elsewhere.
const Default = "shop"

// dumps has the dump of each sample but the default one.
//
//go:embed dumps
var dumps embed.FS

// All returns the samples in the order in which to look at them.
func All() []Sample { return append([]Sample{}, catalogue...) }

// Named finds a sample by its name.
func Named(name string) (Sample, bool) {
	for _, s := range catalogue {
		if s.Name == name {
			return s, true
		}
	}
	return Sample{}, false
}

// Names returns the names of all samples, in their order.
func Names() []string {
	names := make([]string, len(catalogue))
	for i := range catalogue {
		names[i] = catalogue[i].Name
	}
	return names
}

// Dump returns the cluster of a sample in the form of a dump. It is nil for [Default].
func (s Sample) Dump() io.Reader {
	text, err := dumps.ReadFile("dumps/" + s.Name + ".json")
	if err != nil {
		return nil
	}
	return bytes.NewReader(text)
}
