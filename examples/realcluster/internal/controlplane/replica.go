package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Scheduler is a program that schedules under leader election, with its profiles.
type Scheduler struct {
	// Program is the name of the program. Plugin is the plugin in place of DefaultPreemption; empty for none.
	Program, Plugin string
	// Profiles are the names that pods may ask for.
	Profiles []string
}

// Replica is one of several schedulers that elect a leader. When it ends it is started again as by a kubelet: at
// once, then after 10, 20 and at most 40 seconds, and at once again after a minute without trouble. For the API
// server each of its processes has another name, made of the replica's name and the number of the start.
type Replica struct {
	Name    string
	port    int
	cluster *Cluster
	program string
	args    []string
	stop    chan struct{} // closed by Stop
	done    chan struct{} // closed when nothing runs any more

	mu      sync.Mutex
	process *Process
	starts  int
}

// StartReplica starts a replica. Its logs are named after it. Stop ends it.
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

// keep starts the replica again until Stop.
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

// backOff is the time that a kubelet would wait before it starts a container again.
type backOff time.Duration

// next returns the wait after a container that ran for that time.
func (b *backOff) next(ran time.Duration) time.Duration {
	if ran >= time.Minute {
		*b = 0
	}
	wait := time.Duration(*b)
	*b = backOff(min(max(2*wait, 10*time.Second), 40*time.Second))
	return wait
}

// Process returns the process that runs, or that ran last.
func (r *Replica) Process() *Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// Starts counts the starts of the replica.
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

// Stop ends the replica for good and returns when it has ended. It is called once.
func (r *Replica) Stop() {
	close(r.stop)
	<-r.done
}
