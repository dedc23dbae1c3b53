package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/resource"
)

// meter keeps the values of a [chart.Sample] up to date.
type meter struct {
	columns columns
	// used and capacity are amounts by column, over all nodes.
	used, capacity []int64
	waiting        map[int32]int // pods in the queue by priority
	evictions      map[int32]int // since the last sample, by priority
	// stale is set if something changed since the last sample.
	stale bool
	// levels is used again for each sample.
	levels []chart.Level
}

func newMeter(nodes []*outrank.Node) *meter {
	m := &meter{columns: columnsOf(nodes), waiting: map[int32]int{}, evictions: map[int32]int{}, stale: true}
	m.used = make([]int64, len(m.columns))
	m.capacity = make([]int64, len(m.columns))
	return m
}

// row returns the amounts of a list by column.
func (m *meter) row(l resource.List) []int64 { return m.columns.row(l) }

// offer counts what a node offers as capacity; with sign -1 it counts it no longer.
func (m *meter) offer(has []int64, sign int64) {
	addTo(m.capacity, has, sign)
	m.stale = true
}

// take counts a pod's request as used; with sign -1 it counts it no longer.
func (m *meter) take(asks []int64, sign int64) {
	addTo(m.used, asks, sign)
	m.stale = true
}

// wait counts a pod as waiting; with sign -1 it counts it no longer.
func (m *meter) wait(priority int32, sign int) {
	m.waiting[priority] += sign
	m.stale = true
}

// evict counts an eviction.
func (m *meter) evict(priority int32) {
	m.evictions[priority]++
	m.stale = true
}

// sample reports the usage, if it has changed.
func (m *meter) sample(at time.Duration, tell func(chart.Sample)) {
	if tell == nil || !m.stale {
		return
	}
	m.stale = false

	levels := m.levels[:0]
	for i := range m.columns {
		levels = append(levels, chart.Level{Used: float64(m.used[i]), Capacity: float64(m.capacity[i])})
	}
	m.levels = levels

	tell(chart.Sample{Time: at, Levels: levels, Waiting: m.waiting, Evicted: m.evictions})
	clear(m.evictions)
}
