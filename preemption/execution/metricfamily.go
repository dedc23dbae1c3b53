package execution

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/internal/release"
)

// MetricFamily is a metric with its values, as Prometheus defines it.
type MetricFamily struct {
	// Name is the reference's, Help says the same in other words. Type is counter, gauge or
	// histogram.
	Name, Help, Type string
	Samples          []MetricSample
}

// MetricSample is one value of a [MetricFamily].
type MetricSample struct {
	// Name is the name of the family, with a suffix in a histogram.
	Name   string
	Labels []MetricLabel
	Value  float64
}

// MetricLabel is a name with a value.
type MetricLabel struct{ Name, Value string }

// String returns the sample as a line of the Prometheus text format.
func (s MetricSample) String() string {
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

// Families returns the values under the names and with the buckets of
// kube-scheduler, sorted by name; attempts are sorted by result and profile. The
// buckets of the histogram are cumulative, as Prometheus wants them. A metric
// that was never set is left out, except the two of preemption. Durations are in
// seconds.
func (c MetricValues) Families() []MetricFamily {
	families := []MetricFamily{{
		Name: "scheduler_preemption_attempts_total", Type: "counter",
		Help:    "How often preemption was tried.",
		Samples: []MetricSample{{Name: "scheduler_preemption_attempts_total", Value: float64(c.PreemptionAttempts)}},
	}, c.PreemptionVictims.metricFamily()}
	rules := release.Of(release.Release(c.Release))
	families = slices.Insert(families, 0, c.podFamilies()...)
	if rules.GroupMetrics {
		families = append(families, c.Groups.families()...)
	}
	if len(c.Executions) > 0 {
		families = append(families, c.executionFamily())
	}
	families = append(families, c.queueFamilies(&rules)...)
	if len(c.ScheduleAttempts) > 0 {
		families = append(families, c.attemptFamily())
	}
	if len(c.AttemptDurations) > 0 {
		families = append(families, c.attemptDurationFamily())
	}
	slices.SortFunc(families, func(a, b MetricFamily) int { return cmp.Compare(a.Name, b.Name) })
	return families
}

func (h *VictimHistogram) metricFamily() MetricFamily {
	f := MetricFamily{Name: "scheduler_preemption_victims", Type: "histogram", Help: "Number of victims of a preemption."}
	bounds := make([]float64, len(histogramBounds))
	for i, b := range histogramBounds {
		bounds[i] = float64(b)
	}
	f.addHistogram(nil, bounds, h.Buckets[:], float64(h.Sum))
	return f
}

// compareAttempts sorts by result, and then by profile.
func compareAttempts(a, b Attempt) int {
	return cmp.Or(cmp.Compare(a.Result, b.Result), cmp.Compare(a.Profile, b.Profile))
}

func (c *MetricValues) attemptFamily() MetricFamily {
	f := MetricFamily{
		Name: "scheduler_schedule_attempts_total", Type: "counter",
		Help: "Number of attempts to schedule pods, by how they ended.",
	}
	for _, a := range slices.SortedFunc(maps.Keys(c.ScheduleAttempts), compareAttempts) {
		f.Samples = append(f.Samples, MetricSample{
			Name: f.Name, Value: float64(c.ScheduleAttempts[a]),
			Labels: []MetricLabel{{"profile", a.Profile}, {"result", string(a.Result)}},
		})
	}
	return f
}
