package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Scheduler describes a scheduler program that takes part in leader election, with its profiles.
type Scheduler struct {
	// Program is the name of the program. Plugin is the plugin that replaces DefaultPreemption; it may be
	// empty.
	Program, Plugin string
	// Profiles are the scheduler names that pods may ask for.
	Profiles []string
}

// Replica is one of several schedulers that elect a leader. When it ends it is restarted as a kubelet would: at
// once, then after 10, 20 and at most 40 seconds, and at once again if it has run for a minute. Each of its
// processes has a different name for the API server, made of the replica's name and the number of the start.
type Replica struct {
	Name    string
	port    int
	cluster *Cluster
	program string
	args    []string
	stop    chan struct{} // closed by Stop
	done    chan struct{} // closed when the replica has stopped for good

	mu      sync.Mutex
	process *Process
	starts  int
}

// StartReplica starts a replica, whose logs bear its name. Stop ends it.
func (c *Cluster) StartReplica(name string, s Scheduler) (*Replica, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(c.dir, name+".json")
	if err := writeSchedulerConfiguration(config, schedulerConfiguration(c.scheduler, s.Plugin, true, s.Profiles...)); err != nil {
		return nil, err
	}
	r := &Replica{
		Name: name, port: port, cluster: c, program: c.options.Program(s.Program), args: c.schedulerArguments(config, port),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	go r.keep()
	return r, nil
}

func (r *Replica) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := startAs(fmt.Sprintf("%s.%d", r.Name, r.starts+1), r.Name, r.program, r.cluster.logs, r.args...)
	if err != nil {
		return err
	}
	r.process = p
	r.starts++
	return nil
}

// keep restarts the replica until Stop.
func (r *Replica) keep() {
	defer close(r.done)
	var wait backOff
	for {
		p, begun := r.Process(), time.Now()
		select {
		case <-r.stop:
			p.Stop(20 * time.Second)
			return
		case <-p.Ended():
		}
		pause := wait.next(time.Since(begun))
		r.cluster.options.Say("%s, process %d, has ended (%v); it is started again in %v", r.Name, p.ID(), p.result, pause)
		select {
		case <-r.stop:
			return
		case <-time.After(pause):
		}
		if err := r.start(); err != nil {
			r.cluster.options.Say("%v", err)
			return
		}
	}
}

// backOff is the time that a kubelet would wait before it restarts a container.
type backOff time.Duration

// next returns the wait after a container that ran for the given time.
func (b *backOff) next(ran time.Duration) time.Duration {
	if ran >= time.Minute {
		*b = 0
	}
	wait := time.Duration(*b)
	*b = backOff(min(max(2*wait, 10*time.Second), 40*time.Second))
	return wait
}

// Process returns the process that runs, or the last one that ran.
func (r *Replica) Process() *Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// Starts returns how often the replica was started.
func (r *Replica) Starts() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts
}

// Metrics asks the replica for its metrics.
func (r *Replica) Metrics(ctx context.Context) (Metrics, error) {
	m, err := r.cluster.metricsAt(ctx, r.port)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	return m, nil
}

// Leads reports whether the metrics come from the leader.
func (m Metrics) Leads() bool { return m.Sum("leader_election_master_status") == 1 }

// Stop ends the replica for good and returns when it has ended. It may be called only once.
func (r *Replica) Stop() {
	close(r.stop)
	<-r.done
}
