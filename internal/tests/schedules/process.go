package schedules

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Brain is a scheduler: what it knows, and what it decides. Its methods are called by one goroutine.
type Brain interface {
	// Pod delivers what an informer would: a pod that comes (old is nil), has changed, or is gone.
	Pod(old, new *Pod)
	Node(old, new *Node)
	// Next makes an attempt, and reports false if there is nothing to try.
	Next(ctx context.Context) bool
	// Differs says what the brain knows otherwise than a fresh list, nothing if it is the same.
	Differs(nodes []Node, pods []*Pod) string
	// Queued reports whether a pod waits in the queue.
	Queued(uid string) bool
}

// process is a scheduler that runs: it follows the cluster, and makes attempts as long as it leads.
type process struct {
	world *world
	name  string
	brain Brain
	// wake has a value when something is to be looked at.
	wake chan struct{}
	// stop ends the process. ended is closed after that.
	stop  context.CancelFunc
	ended chan struct{}

	mu sync.Mutex
	// leads says that the process makes attempts.
	leads bool
	// seen and nodes are what was delivered.
	seen  map[string]*Pod
	nodes map[string]Node
	// podStream and nodeStream are still to be delivered, each in order.
	podStream, nodeStream []delivery
}

// delivery is the present version of an object, nil if it is gone. again says that it was delivered before.
type delivery struct {
	due   time.Time
	name  string
	pod   *Pod
	node  *Node
	again bool
}

// streamPod and streamNode append to what is delivered; the server calls them while it is locked.
func (p *process) streamPod(name string, pod *Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.podStream = append(p.podStream, delivery{due: time.Now().Add(p.world.podsLag), name: name, pod: pod})
	p.rouse()
}

func (p *process) streamNode(name string, node *Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodeStream = append(p.nodeStream, delivery{due: time.Now().Add(p.world.nodesLag), name: name, node: node})
	p.rouse()
}

// rouse wakes the process.
func (p *process) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// lead makes the process lead or not.
func (p *process) lead(leads bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leads = leads
	p.rouse()
}

// run delivers what is due and makes attempts until the context ends.
func (p *process) run(ctx context.Context) {
	defer close(p.ended)
	for ctx.Err() == nil {
		for p.deliver() {
		}
		p.mu.Lock()
		leads := p.leads
		p.mu.Unlock()
		if leads && p.brain.Next(ctx) {
			continue
		}
		select {
		case <-p.wake:
		case <-time.After(p.idle()):
		case <-ctx.Done():
		}
	}
}

// idle is how long there is nothing to deliver, a second at most, for backoffs that end.
func (p *process) idle() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := time.Second
	for _, stream := range [][]delivery{p.podStream, p.nodeStream} {
		if len(stream) > 0 {
			wait = min(wait, max(time.Until(stream[0].due), time.Microsecond))
		}
	}
	return wait
}

// deliver passes the brain one object that is due, and reports whether there was one.
func (p *process) deliver() bool {
	d, ok := p.due()
	if !ok {
		return false
	}
	if d.node != nil || d.pod == nil && p.isNode(d.name) {
		p.deliverNode(d)
	} else {
		p.deliverPod(d)
	}
	return true
}

// due takes the first delivery of either stream whose time has come.
func (p *process) due() (delivery, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, stream := range []*[]delivery{&p.nodeStream, &p.podStream} {
		if len(*stream) > 0 && !(*stream)[0].due.After(time.Now()) {
			d := (*stream)[0]
			*stream = (*stream)[1:]
			return d, true
		}
	}
	return delivery{}, false
}

// isNode reports whether a name is that of a node; those of pods begin otherwise.
func (p *process) isNode(name string) bool { return name[0] == 'n' }

func (p *process) deliverNode(d delivery) {
	var before *Node
	p.mu.Lock()
	if n, ok := p.nodes[d.name]; ok {
		before = &n
	}
	delete(p.nodes, d.name)
	if d.node != nil {
		p.nodes[d.name] = *d.node
	}
	p.mu.Unlock()
	if before != nil || d.node != nil {
		p.brain.Node(before, d.node)
	}
}

func (p *process) deliverPod(d delivery) {
	p.mu.Lock()
	before := p.seen[d.name]
	if d.again {
		d.pod = before
	}
	delete(p.seen, d.name)
	if d.pod != nil {
		p.seen[d.name] = d.pod
	}
	p.mu.Unlock()
	if before != nil || d.pod != nil {
		p.brain.Pod(before, d.pod)
	}
}

// breaks loses what is not delivered yet, and lists everything anew. The server is locked.
func (p *process) breaks(s *server, lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due := time.Now().Add(lag)
	p.podStream, p.nodeStream = nil, nil
	for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
		if s.nodes[name].Name == "" {
			p.nodeStream = append(p.nodeStream, delivery{due: due, name: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		n := s.nodes[name]
		p.nodeStream = append(p.nodeStream, delivery{due: due, name: name, node: &n})
	}
	for _, name := range slices.Sorted(maps.Keys(p.seen)) {
		if s.pods[name] == nil {
			p.podStream = append(p.podStream, delivery{due: due, name: name})
		}
	}
	for _, pod := range s.list() {
		p.podStream = append(p.podStream, delivery{due: due, name: pod.Name, pod: pod})
	}
	p.rouse()
}

// again has the known version of a pod delivered once more.
func (p *process) again(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.podStream = append(p.podStream, delivery{due: time.Now().Add(p.world.podsLag), name: name, again: true})
	p.rouse()
}
