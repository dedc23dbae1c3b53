package workload

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Item is a pod that will arrive, and what it will do.
type Item struct {
	// Pod is the pending pod, with its priority. Its name is the one in the file; copies have names of their
	// own.
	Pod *outrank.Pod
	// Class is the service class.
	Class string
	// Arrival is the time of arrival since the beginning of the trace.
	Arrival time.Duration
	// Duration is how long the pod runs. With Endless it runs forever, and Duration is 0.
	Duration time.Duration
	Endless  bool
	// Usage is what the pod uses while it runs; nil means its requests.
	Usage *kubeletadmit.Usage
}

// NeedsKubelets reports whether the item has a field that only kubelets read: a node on which the pod arrives
// without a scheduler, or a usage.
func (i *Item) NeedsKubelets() bool { return i.Pod.NodeName != "" || i.Pod.Static || i.Usage != nil }

// ReadPods reads pods from a CSV file, row by row; errors call the file by the given name. The items are
// ordered by arrival, then by name. The error joins the problems of the file up to a limit, each a
// [*Problem]; all service classes without a priority are one problem. Unknown columns, rows of more than 64
// KiB and more than a million rows are problems, too.
func ReadPods(in io.Reader, file string, classes Classes) ([]Item, error) {
	t, err := openTable(in, file, podColumns)
	if err != nil {
		return nil, err
	}

	var items []Item
	seen, unknown := map[string]int{}, map[string]int{}
	for t.next() {
		item := t.item(classes, unknown)
		if line, twice := seen[item.Pod.Name]; twice {
			t.wrong("name", "pod %s is on line %d already", quote(item.Pod.Name), line)
		}
		seen[item.Pod.Name] = t.line()
		items = append(items, item)
	}

	if len(unknown) > 0 {
		t.problems = append(t.problems, unknownClasses(file, unknown, classes))
	}

	if len(items) == 0 && t.err() == nil {
		return nil, &Problem{File: file, Text: "there are no pods"}
	}
	if err := t.err(); err != nil {
		return nil, err
	}
	sortItems(items)
	return items, nil
}

// sortItems orders items by arrival, then by name, which is unique.
func sortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
}

// item returns the item of the current row. It counts classes without a priority in unknown.
func (t *table) item(classes Classes, unknown map[string]int) Item {
	item := Item{Class: cmp.Or(t.text("qos"), NoClass)}
	value, ok := classes.Priority(item.Class)
	if !ok {
		unknown[item.Class]++
	}
	item.Pod = &outrank.Pod{
		Name:       cmp.Or(t.name("name"), fmt.Sprintf("pod-%06d", t.line())),
		Priority:   outrank.Priority(value),
		Containers: []outrank.Container{{Name: "main", Requests: t.requests()}},
	}
	if item.Class != NoClass {
		item.Pod.PriorityClassName = item.Class
	}
	if models := t.models(); len(models) > 0 {
		affinity := &item.Pod.Affinity
		affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: ModelLabel, Operator: outrank.In, Values: models}},
		}}}
	}

	t.times(&item)
	t.forKubelets(&item)
	return item
}

// qualities maps service classes to the quality-of-service classes of the same name, which kubelets use. For
// other pods the class follows from the requests, because no pod of a table has limits.
var qualities = map[string]outrank.QOSClass{"Guaranteed": outrank.Guaranteed, "Burstable": outrank.Burstable, "BE": outrank.BestEffort}

// forKubelets reads the fields that only kubelets read: the node of a pod, its quality of service, and its
// usage.
func (t *table) forKubelets(item *Item) {
	item.Pod.QOSClass = qualities[item.Class]
	item.Pod.NodeName = t.name("node_name")
	switch text := t.text("static"); text {
	case "", "false":
	case "true":
		item.Pod.Static = true
		if item.Pod.NodeName == "" {
			t.wrong("static", "a static pod needs a node_name: the node that has its file")
		}
	default:
		t.wrong("static", "%s is neither true nor false", quote(text))
	}

	if t.text("memory_used_mib") != "" {
		used := resource.Amount(resource.Memory, mebibytes(t.number("memory_used_mib", 0, mostMiB)))
		item.Usage = &kubeletadmit.Usage{Memory: used}
	}
}

// requests returns the requests of the pod.
func (t *table) requests() resource.List {
	l := resource.List{}
	if milli := t.number("cpu_milli", 0, mostMilli); milli > 0 {
		l[resource.CPU] = resource.NewMilli(milli)
	}
	if mib := t.number("memory_mib", 0, mostMiB); mib > 0 {
		l[resource.Memory] = mebibytes(mib)
	}
	if gpu := t.gpu(); gpu > 0 {
		l[GPU] = resource.New(gpu)
	}
	return l
}

// gpu returns the pod's request of [GPU].
func (t *table) gpu() int64 {
	before := len(t.problems)
	gpus := t.number("num_gpu", 0, mostGPUs)
	share := t.number("gpu_milli", wholeGPU, wholeGPU)
	switch {
	case len(t.problems) > before:
		return 0
	case gpus > 0 && share == 0:
		t.wrong("gpu_milli", "the pod asks for %d GPUs, but for nothing of each", gpus)
	case gpus == 0 && share > 0 && t.text("gpu_milli") != "":
		t.wrong("gpu_milli", "the pod asks for %d thousandths of no GPU", share)
	}
	return gpus * share
}

// models returns the values of gpu_spec in order, without duplicates.
func (t *table) models() []string {
	text := t.text("gpu_spec")
	if text == "" {
		return nil
	}
	var out []string
	seen := map[string]bool{"": true}
	for model := range strings.SplitSeq(text, "|") {
		if model = strings.TrimSpace(model); !seen[model] {
			seen[model] = true
			out = append(out, model)
		}
	}
	return out
}

// times sets the arrival and the duration of the pod.
func (t *table) times(item *Item) {
	created, ok := t.seconds("creation_time")
	if !ok {
		t.wrong("creation_time", "missing: nobody knows when the pod comes")
	}
	item.Arrival = created

	// The wait between the two times in the trace is left out, because the pod waits anew in the simulation.
	began, from := created, "creation_time"
	if scheduled, ok := t.seconds("scheduled_time"); ok {
		began, from = scheduled, "scheduled_time"
	}

	ended, ok := t.seconds("deletion_time")
	switch {
	case !ok:
		item.Endless = true
	case ended < began:
		t.wrong("deletion_time", "%v is before the %s, %v", ended, from, began)
	default:
		item.Duration = ended - began
	}
}

// unknownClasses returns the problem that classes have no priority, with the numbers of their pods.
func unknownClasses(file string, unknown map[string]int, classes Classes) error {
	var seen []string
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		if len(seen) == mostProblems {
			seen = append(seen, fmt.Sprintf("and %d more", len(unknown)-mostProblems))
			break
		}
		seen = append(seen, fmt.Sprintf("%s (%d pods)", quote(name), unknown[name]))
	}
	return &Problem{File: file, Field: "qos", Text: fmt.Sprintf(
		"service classes without a priority: %s; there are priorities for %s", strings.Join(seen, ", "), classes)}
}
