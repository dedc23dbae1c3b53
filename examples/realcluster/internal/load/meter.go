package load

import (
	"context"
	"sync"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// usage is what schedulers used during some time, according to their metrics.
type usage struct {
	CPU time.Duration // used by the leaders
	// PostFilters counts the attempts that reached preemption. In is the time that preemption took in them.
	PostFilters int
	In          time.Duration
	// First and Last are the sizes of the leader at the beginning and at the end.
	First, Last size
}

// size is the memory, in bytes, and the number of goroutines of a scheduler.
type size struct{ Resident, Goroutines float64 }

// meter sums the usage of replicas. It takes into account that a restarted process counts from zero.
type meter struct {
	replicas []*controlplane.Replica

	mu   sync.Mutex
	last map[string]counters // by replica
	usage
}

// counters are the counters of one process.
type counters struct {
	starts               int
	cpu, postFilters, in float64
}

func newMeter(replicas []*controlplane.Replica) *meter {
	return &meter{replicas: replicas, last: map[string]counters{}}
}

// read asks all replicas for their metrics. A replica that does not answer is asked again at the next reading.
func (m *meter) read(ctx context.Context) {
	for _, r := range m.replicas {
		starts := r.Starts()
		if metrics, err := r.Metrics(ctx); err == nil {
			m.add(r.Name, starts, metrics)
		}
	}
}

const (
	postFilter = `extension_point="PostFilter"`
	extension  = "scheduler_framework_extension_point_duration_seconds"
)

func (m *meter) add(replica string, starts int, of controlplane.Metrics) {
	now := counters{
		starts: starts, cpu: of.Sum("process_cpu_seconds_total"),
		postFilters: of.Sum(extension+"_count", postFilter), in: of.Sum(extension+"_sum", postFilter),
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.last[replica]
	m.last[replica] = now
	if !of.Leads() {
		return
	}

	here := size{Resident: of.Sum("process_resident_memory_bytes"), Goroutines: of.Sum("go_goroutines")}
	if m.First == (size{}) {
		m.First = here
	}
	m.Last = here

	if !known {
		return // the first reading is the base, and measures nothing
	}

	// A new process counts from zero.
	if last.starts != starts {
		last = counters{}
	}

	m.CPU += seconds(now.cpu - last.cpu)
	m.PostFilters += int(now.postFilters - last.postFilters)
	m.In += seconds(now.in - last.in)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// leader returns the replica that leads, or nil.
func leader(ctx context.Context, of []*controlplane.Replica) *controlplane.Replica {
	for _, r := range of {
		if m, err := r.Metrics(ctx); err == nil && m.Leads() {
			return r
		}
	}
	return nil
}
