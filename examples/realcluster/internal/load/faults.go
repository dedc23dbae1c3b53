package load

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// Fault is a disturbance during preemptions.
type Fault struct {
	Name, About string
	// strike is called while pods of a burst wait for their victims to end. It returns when the fault is over.
	strike func(ctx context.Context, on struck) error
	// odd says that odd objects exist from before the burst until after it.
	odd bool
}

// struck has the targets of a fault.
type struck struct {
	cluster *controlplane.Cluster
	leader  *controlplane.Replica
}

// Schedulers renew their lease within 10 seconds. Others may take it after 15 seconds without renewal.
const (
	leaderStandsStill = 22 * time.Second
	serverStandsStill = 20 * time.Second
	serverAway        = 30 * time.Second
)

// Faults returns all faults.
func Faults() []Fault {
	return []Fault{
		{Name: "scheduler-killed", About: "the leader is killed, another takes over", strike: func(_ context.Context, on struck) error {
			return on.leader.Process().Kill()
		}},
		{Name: "scheduler-frozen", About: "the leader stands still for 22 s, another takes over, and the first goes on", strike: func(ctx context.Context, on struck) error {
			p := on.leader.Process()
			return between(ctx, leaderStandsStill, p.Pause, p.Resume)
		}},
		{Name: "apiserver-killed", About: "the API server is killed and started again", strike: func(ctx context.Context, on struck) error {
			return between(ctx, 0, on.cluster.KillAPIServer, func() error { return on.cluster.RestartAPIServer(ctx) })
		}},
		{Name: "apiserver-frozen", About: "the API server stands still for 20 s", strike: func(ctx context.Context, on struck) error {
			return between(ctx, serverStandsStill, on.cluster.PauseAPIServer, on.cluster.ResumeAPIServer)
		}},
		{Name: "apiserver-away", About: "there is no API server for 30 s", strike: func(ctx context.Context, on struck) error {
			return between(ctx, serverAway, on.cluster.KillAPIServer, func() error { return on.cluster.RestartAPIServer(ctx) })
		}},
		{Name: "odd-objects", About: "pods and nodes have statuses and specs that make no sense and that the API server takes", odd: true},
	}
}

// between calls first and, after a pause, then. It calls then even if the context ends.
func between(ctx context.Context, pause time.Duration, first, then func() error) error {
	if err := first(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
	return then()
}

// ChooseFaults returns the faults in a comma-separated list, or all.
func ChooseFaults(names string) ([]Fault, error) {
	all := Faults()
	switch names {
	case "":
		return nil, nil
	case "all":
		return all, nil
	}
	var out []Fault
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no fault %q", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}
