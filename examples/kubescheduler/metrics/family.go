package metrics

import (
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outrank-go/outrank/preemption/execution"
)

// send translates a family of the module's into metrics of Prometheus.
func send(to chan<- prometheus.Metric, family execution.MetricFamily) {
	if family.Type == "histogram" {
		for _, h := range histograms(family) {
			to <- h
		}
		return
	}
	kind := prometheus.CounterValue
	if family.Type == "gauge" {
		kind = prometheus.GaugeValue
	}
	for _, sample := range family.Samples {
		names, values := split(sample.Labels)
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(family.Name, family.Help, names, nil), kind, sample.Value, values...)
	}
}

// histogram is one histogram of a family: the samples with the same labels.
type histogram struct {
	names, values []string
	count         uint64
	sum           float64
	buckets       map[float64]uint64
}

// histograms gathers the samples of a family, whose buckets are cumulative as those of
// Prometheus are.
func histograms(family execution.MetricFamily) []prometheus.Metric {
	var order []string
	by := map[string]*histogram{}
	for _, sample := range family.Samples {
		labels, bound := withoutBound(sample.Labels)
		names, values := split(labels)
		key := strings.Join(values, "\x00")
		h := by[key]
		if h == nil {
			h = &histogram{names: names, values: values, buckets: map[float64]uint64{}}
			by[key], order = h, append(order, key)
		}
		switch strings.TrimPrefix(sample.Name, family.Name) {
		case "_sum":
			h.sum = sample.Value
		case "_count":
			h.count = uint64(sample.Value)
		default:
			if !math.IsInf(bound, 1) {
				h.buckets[bound] = uint64(sample.Value)
			}
		}
	}
	var list []prometheus.Metric
	for _, key := range order {
		h := by[key]
		desc := prometheus.NewDesc(family.Name, family.Help, h.names, nil)
		list = append(list, prometheus.MustNewConstHistogram(desc, h.count, h.sum, h.buckets, h.values...))
	}
	return list
}

// withoutBound takes the label of a bucket out.
func withoutBound(labels []execution.MetricLabel) (rest []execution.MetricLabel, bound float64) {
	for _, l := range labels {
		if l.Name == "le" {
			bound, _ = strconv.ParseFloat(l.Value, 64) // "+Inf" as well
			continue
		}
		rest = append(rest, l)
	}
	return rest, bound
}

func split(labels []execution.MetricLabel) (names, values []string) {
	for _, l := range labels {
		names, values = append(names, l.Name), append(values, l.Value)
	}
	return names, values
}
