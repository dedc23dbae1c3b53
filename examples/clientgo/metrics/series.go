package metrics

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// series has values by the name and the labels of the metric. Values with the same name and labels are summed
// up. All values of a name share one help text.
type series struct {
	values map[string]*value
	help   map[string]string
}

// value is the value of a counter, a gauge or a histogram.
type value struct {
	name   string
	kind   dto.MetricType
	labels []metrics.Label
	// sum is the value or, for a histogram, the sum of the observations. The buckets of a histogram are
	// cumulative.
	sum     float64
	count   uint64
	buckets map[float64]uint64
}

// at returns the value with these labels.
func (s *series) at(name, help string, kind dto.MetricType, labels []metrics.Label) *value {
	slices.SortFunc(labels, func(a, b metrics.Label) int { return cmp.Compare(a.Name, b.Name) })
	key := name
	for _, l := range labels {
		key += "\x00" + l.Name + "\x00" + l.Value
	}
	v := s.values[key]
	if v == nil {
		v = &value{name: name, kind: kind, labels: labels, buckets: map[float64]uint64{}}
		s.values[key], s.help[name] = v, help
	}
	return v
}

// addOwn adds a family of metrics of this library.
func (s *series) addOwn(family metrics.Family) {
	kinds := map[string]dto.MetricType{"counter": dto.MetricType_COUNTER, "gauge": dto.MetricType_GAUGE, "histogram": dto.MetricType_HISTOGRAM}
	for _, sample := range family.Samples {
		var labels []metrics.Label
		bound := math.Inf(1)
		for _, l := range sample.Labels {
			if l.Name == "le" {
				bound, _ = strconv.ParseFloat(l.Value, 64) // parses "+Inf" as well
			} else {
				labels = append(labels, l)
			}
		}
		v := s.at(family.Name, family.Help, kinds[family.Type], labels)
		switch strings.TrimPrefix(sample.Name, family.Name) {
		case "_count":
			v.count += uint64(sample.Value)
		case "_bucket":
			v.bucket(bound, uint64(sample.Value))
		default: // the sum of a histogram
			v.sum += sample.Value
		}
	}
}

// bucket adds to a bucket. The unbounded last bucket has the total count.
func (v *value) bucket(bound float64, n uint64) {
	if !math.IsInf(bound, 1) {
		v.buckets[bound] += n
	}
}

// addOther adds a family of metrics in the form of Prometheus.
func (s *series) addOther(family *dto.MetricFamily) {
	for _, m := range family.GetMetric() {
		var labels []metrics.Label
		for _, l := range m.GetLabel() {
			labels = append(labels, metrics.Label{Name: l.GetName(), Value: l.GetValue()})
		}
		v := s.at(family.GetName(), family.GetHelp(), family.GetType(), labels)
		h := m.GetHistogram()
		v.sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + h.GetSampleSum()
		v.count += h.GetSampleCount()
		for _, b := range h.GetBucket() {
			v.bucket(b.GetUpperBound(), b.GetCumulativeCount())
		}
	}
}

// metric returns the value in the form of Prometheus.
func (v *value) metric(help string) prometheus.Metric {
	names, labels := make([]string, len(v.labels)), make([]string, len(v.labels))
	for i, l := range v.labels {
		names[i], labels[i] = l.Name, l.Value
	}
	desc := prometheus.NewDesc(v.name, help, names, nil)
	switch v.kind {
	case dto.MetricType_HISTOGRAM:
		return prometheus.MustNewConstHistogram(desc, v.count, v.sum, v.buckets, labels...)
	case dto.MetricType_GAUGE:
		return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v.sum, labels...)
	}
	return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, v.sum, labels...)
}
