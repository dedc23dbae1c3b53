package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/preemption"
)

// Family is a Prometheus metric family: a metric with all its samples.
type Family struct {
	// Name is the name that the reference gives the metric. Help explains the metric in this module's own
	// words. Type is counter, gauge or histogram.
	Name, Help, Type string
	Samples          []Sample
}

// Sample is one value of a [Family].
type Sample struct {
	// Name is the name of the family, with the suffix _bucket, _sum or _count in a histogram.
	Name   string
	Labels []Label
	Value  float64
}

// Label is a label of a sample.
type Label struct{ Name, Value string }

// String returns the sample as a line of the Prometheus text format.
func (s Sample) String() string {
	labels := make([]string, len(s.Labels))
	for i, l := range s.Labels {
		labels[i] = l.Name + `="` + labelEscaper.Replace(l.Value) + `"`
	}
	text := s.Name
	if len(labels) > 0 {
		text += "{" + strings.Join(labels, ",") + "}"
	}
	return text + " " + strconv.FormatFloat(s.Value, 'g', -1, 64)
}

var labelEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// add adds a sample under the family's own name.
func (f *Family) add(value float64, labels ...Label) {
	f.Samples = append(f.Samples, Sample{Name: f.Name, Labels: labels, Value: value})
}

// addHistogram adds the samples of one histogram, with cumulative buckets. bounds are passed because a
// histogram that has counted nothing has none of its own.
func addHistogram[N int | time.Duration](f *Family, labels []Label, h *Histogram[N], bounds []N) {
	total := uint64(0)
	for i := range len(bounds) + 1 {
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = inUnits(bounds[i])
		}
		if i < len(h.Buckets) {
			total += h.Buckets[i]
		}
		f.Samples = append(f.Samples, Sample{
			Name:   f.Name + "_bucket",
			Labels: append(slices.Clone(labels), Label{"le", strconv.FormatFloat(bound, 'g', -1, 64)}), Value: float64(total),
		})
	}
	f.Samples = append(f.Samples,
		Sample{Name: f.Name + "_sum", Labels: labels, Value: inUnits(h.Sum)},
		Sample{Name: f.Name + "_count", Labels: labels, Value: float64(total)})
}

// inUnits returns a number in the unit of its metric: durations in seconds, others as they are.
func inUnits[N int | time.Duration](n N) float64 {
	if d, ok := any(n).(time.Duration); ok {
		return d.Seconds()
	}
	return float64(n)
}

// durationFamily returns the family with a histogram of durations for each key, in the order of compare.
func durationFamily[K comparable](f Family, of map[K]Histogram[time.Duration], compare func(a, b K) int, labels func(K) []Label) Family {
	f.Type = "histogram"
	for _, key := range slices.SortedFunc(maps.Keys(of), compare) {
		h := of[key]
		addHistogram(&f, labels(key), &h, h.Bounds)
	}
	return f
}

// appendSteps appends a family with the durations of a step of preemption, if there are any.
func appendSteps(list []Family, f Family, of map[PreemptionStep]Histogram[time.Duration], result func(preemption.Code) string) []Family {
	if len(of) == 0 {
		return list
	}
	compare := func(a, b PreemptionStep) int {
		return cmp.Or(cmp.Compare(a.By, b.By), cmp.Compare(a.Result.String(), b.Result.String()))
	}
	return append(list, durationFamily(f, of, compare, func(s PreemptionStep) []Label {
		return []Label{{"preemptor", string(s.By)}, {"result", result(s.Result)}}
	}))
}

func incomingFamily(name, what string) Family {
	return Family{Name: name, Type: "counter", Help: "Number of " + what + " that entered a queue, by event."}
}

func sortedKeys[K comparable, V any](of map[K]V, compare func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(of), compare)
}
