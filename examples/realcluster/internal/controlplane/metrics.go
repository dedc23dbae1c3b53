package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Metrics maps the names of metrics to values. The name of a metric with labels is name{labels}.
type Metrics map[string]float64

// SchedulerMetrics asks the scheduler for its metrics.
func (c *Cluster) SchedulerMetrics(ctx context.Context) (Metrics, error) {
	return c.metricsAt(ctx, c.Ports.Scheduler)
}

func (c *Cluster) metricsAt(ctx context.Context, port int) (Metrics, error) {
	text, err := c.get(ctx, port, "/metrics")
	if err != nil {
		return nil, err
	}
	return ReadMetrics(text)
}

// Sum sums the values of a metric, over all series whose labels contain every one of the given strings.
func (m Metrics) Sum(name string, labels ...string) (sum float64) {
	for key, value := range m {
		if rest, ok := strings.CutPrefix(key, name); ok && (rest == "" || rest[0] == '{') &&
			!slices.ContainsFunc(labels, func(l string) bool { return !strings.Contains(rest, l) }) {
			sum += value
		}
	}
	return sum
}

// ReadMetrics parses metrics in the text format.
func ReadMetrics(text []byte) (Metrics, error) {
	m := Metrics{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			return nil, fmt.Errorf("metrics: no value in %q", line)
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("metrics: %q: %w", line, err)
		}
		m[line[:at]] = value
	}
	return m, lines.Err()
}
