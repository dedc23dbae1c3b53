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
	waiting        map[int32]int // the pods in the queue, by priority
	evictions      map[int32]int // the evictions since the last sample, by priority
	// stale is set if anything has changed since the last sample.
	stale bool
	// levels is reused for each sample.
	levels []chart.Level
}

// newMeter returns a meter without nodes. The given nodes only define its columns.
func newMeter(nodes []*outrank.Node) *meter {
	m := &meter{columns: columnsOf(nodes), waiting: map[int32]int{}, evictions: map[int32]int{}, stale: true}
	m.used = make([]int64, len(m.columns))
	m.capacity = make([]int64, len(m.columns))
	return m
}

// row returns the amounts of a list by column.
func (m *meter) row(l resource.List) []int64 { return m.columns.row(l) }

// offer adds what a node offers to the capacity; with sign -1 it subtracts it.
func (m *meter) offer(has []int64, sign int64) {
	addTo(m.capacity, has, sign)
	m.stale = true
}

// take adds what a pod requests to the usage; with sign -1 it subtracts it.
func (m *meter) take(asks []int64, sign int64) {
	addTo(m.used, asks, sign)
	m.stale = true
}

// wait counts a waiting pod; with sign -1 it stops counting it.
func (m *meter) wait(priority int32, sign int) {
	m.waiting[priority] += sign
	m.stale = true
}

// evict counts an eviction.
func (m *meter) evict(priority int32) {
	m.evictions[priority]++
	m.stale = true
}

// sample passes a sample to tell, if anything has changed.
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
