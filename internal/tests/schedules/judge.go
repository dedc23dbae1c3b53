package schedules

import (
	"fmt"
	"slices"
	"sync"
)

// judge knows what was asked of the server, by whom, and what that one knew. It keeps the first thing that broke.
type judge struct {
	mu    sync.Mutex
	broke string
	// priorities and names are those of all pods that there ever were, by UID.
	priorities map[string]int32
	names      map[string]string
	// asked has the evictions that are under way or were answered with success.
	asked map[asking]bool
	// leaving has the victims of plans that were known to leave when the plan was made.
	leaving map[planned]bool
	// missed has the preemptors with a victim that was gone before it was told. As in the reference they may wait for
	// the five minutes after which a queue tries everything anew (rule 14.2.10).
	missed map[string]bool
	// unheard has the pods whose status could not be written.
	unheard map[string]bool
}

// asking is a process that asks for the end of a pod.
type asking struct {
	process *process
	uid     string
}

// planned is a victim of a plan for a pod. Of several plans for the pod it is the last.
type planned struct {
	asking
	preemptor string
}

func newJudge() *judge {
	return &judge{
		priorities: map[string]int32{}, names: map[string]string{},
		asked: map[asking]bool{}, leaving: map[planned]bool{}, missed: map[string]bool{}, unheard: map[string]bool{},
	}
}

// says keeps a verdict, if it is the first. mu is held.
func (j *judge) says(format string, args ...any) {
	if j.broke == "" {
		j.broke = fmt.Sprintf(format, args...)
	}
}

// knows records a pod that there is from now on.
func (j *judge) knows(p *Pod) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.priorities[p.UID], j.names[p.UID] = p.Priority, p.Name
}

// begins judges a call before it is made.
func (j *judge) begins(p *process, c *Call) {
	if c.Op != Evict {
		return
	}

	// A call for a pod that is gone, for which the plan may be too old, does nothing: the server answers by the UID.
	there := p.world.server.has(c.Pod, c.UID)
	j.mu.Lock()
	defer j.mu.Unlock()
	at := asking{p, c.UID}
	switch {
	case there && j.asked[at]:
		j.says("%s (uid %s) is told to go twice by %s.", c.Pod, c.UID, p.name)
	case j.leaving[planned{at, c.For}]:
		j.says("%s (uid %s) is told to go by %s, which has seen it leave.", c.Pod, c.UID, p.name)
	case j.priorities[c.UID] >= j.priorities[c.For]:
		j.says("%s (uid %s) has to go for %s, which is not more important.", c.Pod, c.UID, j.names[c.For])
	}
	j.asked[at] = true
}

// ends hears the answer to a call.
func (j *judge) ends(p *process, c *Call, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case c.Op == Evict && err == ErrGone:
		j.missed[c.For] = true
	case c.Op == Evict && err != nil:
		delete(j.asked, asking{p, c.UID}) // it may be told again
	case c.Op == Status && err != nil:
		j.unheard[c.UID] = true
	case c.Op == Status:
		delete(j.unheard, c.UID)
	}
}

// decided hears of a plan before anything is done.
func (j *judge) decided(p *process, preemptor string, victims []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, uid := range victims {
		seen := p.seen[j.names[uid]]
		j.leaving[planned{asking{p, uid}, preemptor}] = seen != nil && seen.UID == uid && seen.Leaves
	}
}

// carried hears what became of a plan. A victim that is gone by then need not have been told.
func (j *judge) carried(p *process, preemptor string, victims []string, done bool) {
	if !done {
		return
	}
	there := p.world.server.uids()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, uid := range victims {
		if at := (asking{p, uid}); there[uid] && !j.asked[at] && !j.leaving[planned{at, preemptor}] {
			j.says("%s (uid %s) is lost: the plan for %s was carried out, and nobody told it to go.", j.names[uid], uid, j.names[preemptor])
		}
	}
}

// quiet judges a cluster in which nothing is to come any more.
func (j *judge) quiet(s *server, leader *process) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watches {
		if differs := w.brain.Differs(s.sortedNodes(), s.list()); differs != "" {
			j.says("%s knows something else than a fresh list: %s.", w.name, differs)
		}
	}
	for _, p := range s.list() {
		if p.Node == "" {
			j.waits(s, leader, p)
		}
	}
}

// waits judges a pod that waits, though nothing is to come.
func (j *judge) waits(s *server, leader *process, p *Pod) {
	fits, makes := "", ""
	for _, n := range s.sortedNodes() {
		used, kept := s.used(n, p)
		if used+p.CPU <= n.CPU {
			fits = n.Name
		}
		if kept+p.CPU <= n.CPU && p.Profile != Meek {
			makes = n.Name
		}
	}
	switch {
	case !leader.brain.Queued(p.UID):
		j.says("%s (uid %s) is stuck: it is in no queue.", p.Name, p.UID)
	case j.missed[p.UID]:
		// It is tried again once the five minutes are over.
	case fits != "":
		j.says("%s (uid %s) is stuck: it fits on %s, and nobody tries.", p.Name, p.UID, fits)
	case makes != "":
		j.says("%s (uid %s) is stuck: less important pods could leave %s, and nobody tries.", p.Name, p.UID, makes)
	case p.Told == "" && !j.unheard[p.UID]:
		j.says("%s (uid %s) is stuck, and was not told why.", p.Name, p.UID)
	}
}

// used adds up what is taken of a node for a pod: by all that run there and by nominated pods that are as
// important; kept counts of those that run only the ones that are as important.
func (s *server) used(n Node, asks *Pod) (used, kept int64) {
	for _, p := range s.list() {
		important := p.Priority >= asks.Priority && p != asks
		switch {
		case p.Node == n.Name:
			used += p.CPU
			if important {
				kept += p.CPU
			}
		case p.Node == "" && p.Nominated == n.Name && important:
			used, kept = used+p.CPU, kept+p.CPU
		}
	}
	return used, kept
}

// sortedNodes lists the nodes by name. mu is held.
func (s *server) sortedNodes() (out []Node) {
	for _, n := range s.nodes {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Node) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}
