package schedules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// The errors of the server.
var (
	// ErrGone: the pod does not exist, or another pod has its name.
	ErrGone = errors.New("not found")
	// ErrBusy: the server did nothing, and may answer next time.
	ErrBusy = errors.New("server is busy")
	// ErrConflict: the pod is bound, or leaves.
	ErrConflict = errors.New("conflict")
	// ErrFailed: the server did nothing.
	ErrFailed = errors.New("failed")
	// ErrTimeout: nobody knows whether the server has done it.
	ErrTimeout = errors.New("timed out")
)

// server is an API server and the kubelets: plain maps, and what has happened in order.
type server struct {
	mu      sync.Mutex // never held while anybody sleeps
	start   time.Time
	version int
	pods    map[string]*Pod // the present version of each, by name, which is never changed in place
	nodes   map[string]Node
	watches []*process
	log     []string
	// changed is when a pod or node changed last.
	changed time.Time
	// after calls a function when a while has passed.
	after func(d time.Duration, f func())
}

// note appends a line to the log. mu is held.
func (s *server) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%-8v %s", time.Since(s.start).Round(time.Millisecond), fmt.Sprintf(format, args...)))
}

// put makes p the present version of a pod, and tells the watches. mu is held.
func (s *server) put(p Pod) {
	s.version++
	p.Version = s.version
	s.pods[p.Name] = &p
	s.changed = time.Now()
	for _, w := range s.watches {
		w.streamPod(p.Name, &p)
	}
}

// remove ends a pod, if it is the one with this UID. mu is held.
func (s *server) remove(name, uid string) {
	p := s.pods[name]
	if p == nil || p.UID != uid {
		return
	}
	s.version++
	delete(s.pods, name)
	s.changed = time.Now()
	s.note("%s (uid %s) is gone", name, uid)
	for _, w := range s.watches {
		w.streamPod(name, nil)
	}
}

// asked is a pod of the name with the UID, an error if there is none. mu is held.
func (s *server) asked(name, uid string) (Pod, error) {
	p := s.pods[name]
	if p == nil || p.UID != uid {
		return Pod{}, ErrGone
	}
	return *p, nil
}

// calm reports whether nothing has changed for a while.
func (s *server) calm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.changed) > calm
}

// has reports whether there is a pod of the name with the UID.
func (s *server) has(name, uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.asked(name, uid)
	return err == nil
}

// uids are those of the pods that there are.
func (s *server) uids() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]bool{}
	for _, p := range s.pods {
		out[p.UID] = true
	}
	return out
}

// apply does what a call asks for. Each call is done as a whole.
func (s *server) apply(c *Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.asked(c.Pod, c.UID)
	if err != nil {
		return err
	}
	switch c.Op {
	case Evict:
		p.Preempted = true
		s.leave(p)
	case Mark:
		p.Preempted = true
		s.put(p)
	case Nominate:
		p.Nominated = c.Node
		s.put(p)
	case Status:
		p.Told = c.Why
		if c.Override {
			p.Nominated = c.Node
		}
		s.put(p)
	case Bind:
		if p.Node != "" || p.Leaves || s.nodes[c.Node].Name == "" {
			return ErrConflict
		}
		p.Node, p.Nominated = c.Node, ""
		s.note("%s is bound to %s", p.Name, p.Node)
		s.put(p)
	}
	return nil
}

// leave asks for the deletion of a pod. One that waits is gone at once. mu is held.
func (s *server) leave(p Pod) {
	if p.Leaves {
		return
	}
	if p.Node == "" {
		s.remove(p.Name, p.UID)
		return
	}
	p.Leaves = true
	s.put(p)
	s.after(p.Grace, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.remove(p.Name, p.UID)
	})
}

// putNode adds or changes a node.
func (s *server) putNode(n Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[n.Name] = n
	s.changed = time.Now()
	for _, w := range s.watches {
		w.streamNode(n.Name, &n)
	}
}

// removeNode ends a node, and with it the pods on it.
func (s *server) removeNode(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes[name].Name == "" {
		return
	}
	delete(s.nodes, name)
	for _, w := range s.watches {
		w.streamNode(name, nil)
	}
	for _, p := range s.list() {
		if p.Node == name {
			s.remove(p.Name, p.UID)
		}
	}
}

// list returns the present pods by name. mu is held.
func (s *server) list() []*Pod {
	var out []*Pod
	for _, name := range slices.Sorted(maps.Keys(s.pods)) {
		out = append(out, s.pods[name])
	}
	return out
}
