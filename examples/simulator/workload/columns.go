package workload

import (
	"fmt"
	"slices"
	"strings"
)

// columns are the headings that a file must have, and those that it may have. Any other heading is an error:
// it is most likely a slip, and its column would be ignored silently.
type columns struct{ required, optional []string }

var (
	nodeColumns = columns{
		required: []string{"sn", "cpu_milli", "memory_mib"},
		optional: []string{"gpu", "model"},
	}
	// pod_phase occurs in the traces, but says nothing about the future. node_name, static and
	// memory_used_mib are for kubelets.
	podColumns = columns{
		required: []string{"creation_time"},
		optional: []string{
			"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase",
			"deletion_time", "scheduled_time", "node_name", "static", "memory_used_mib",
		},
	}
)

// all lists all headings.
func (c columns) all() []string { return slices.Concat(c.required, c.optional) }

// known reports whether a file may have the heading.
func (c columns) known(heading string) bool { return slices.Contains(c.all(), heading) }

// unknown returns the text of the problem that a heading is unknown. It suggests the most similar heading.
func (c columns) unknown(heading string) string {
	if near, ok := nearest(heading, c.all()); ok {
		return fmt.Sprintf("there is no column %s; did you mean %s?", quote(heading), near)
	}
	return fmt.Sprintf("there is no column %s; the columns are %s", quote(heading), strings.Join(c.all(), ", "))
}
