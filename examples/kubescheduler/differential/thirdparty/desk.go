package thirdparty

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// desk serves the extenders of all cases that run at the time, each under a name of its own.
type desk struct {
	mu   sync.Mutex
	next int
	// open has the extenders that are served at present, by name.
	open map[string]*served
	// at is the address of the desk.
	at string
	// err is the error that keeps the desk from serving.
	err error
}

// served is an extender of a case.
type served struct {
	*Extender
	c *Cluster
}

// theDesk returns the desk of this program, which it makes when the first extender is served.
var theDesk = sync.OnceValue(func() *desk {
	d := &desk{open: map[string]*served{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.err = err
		return d
	}
	server := &http.Server{Handler: d, ReadHeaderTimeout: time.Minute}
	server.SetKeepAlivesEnabled(false) // each scheduler has clients of its own
	d.at = "http://" + l.Addr().String()
	go func() { _ = server.Serve(l) }()
	return d
})

// Serve serves extenders over HTTP until closed is called, and returns them for the scheduler's configuration.
func Serve(extenders []*Extender, c *Cluster) (list []config.Extender, closed func(), err error) {
	closed = func() {}
	if len(extenders) == 0 {
		return nil, closed, nil
	}
	d := theDesk()
	if d.err != nil {
		return nil, closed, d.err
	}

	// The address has a name of its own for each extender, so that cases that run at once do not meet.
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for i, x := range extenders {
		d.next++
		name := fmt.Sprintf("%d-%d", d.next, i)
		names = append(names, name)
		d.open[name] = &served{x, c}
		list = append(list, x.config(d.at+"/"+name))
	}

	return list, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, name := range names {
			delete(d.open, name)
		}
	}, nil
}

func (x *Extender) config(at string) config.Extender {
	c := config.Extender{URLPrefix: at, NodeCacheCapable: x.Cached, Ignorable: x.Ignorable, HTTPTimeout: metav1.Duration{Duration: time.Minute}}
	if x.Filters {
		c.FilterVerb = "filter"
	}
	if x.Preempts {
		c.PreemptVerb = "preempt"
	}
	if x.Gpu {
		c.ManagedResources = []config.ExtenderManagedResource{{Name: "example.com/gpu"}}
	}
	return c
}

// ServeHTTP answers for the extender that the path names.
func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, verb, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	d.mu.Lock()
	x := d.open[name]
	d.mu.Unlock()
	var answer any
	err := fmt.Errorf("there is no %s", r.URL.Path)
	switch {
	case x == nil:
	case verb == "filter":
		answer, err = x.filter(r)
	case verb == "preempt":
		answer, err = x.preempt(r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// filter answers the question which nodes take the pod. The scheduler sends names or whole nodes, and gets the
// same back.
func (x *served) filter(r *http.Request) (any, error) {
	var asked extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	var names []string
	switch {
	case asked.NodeNames != nil:
		names = *asked.NodeNames
	case asked.Nodes != nil:
		for i := range asked.Nodes.Items {
			names = append(names, asked.Nodes.Items[i].Name)
		}
	}

	// An extender that caches nodes fails by its answer, another one by the code.
	left, no, never, err := x.Turn(names)
	if err != nil && x.Cached {
		return &extenderv1.ExtenderFilterResult{Error: err.Error()}, nil
	}
	answer := &extenderv1.ExtenderFilterResult{FailedNodes: no, FailedAndUnresolvableNodes: never}
	if asked.NodeNames != nil {
		answer.NodeNames = &left
	} else if asked.Nodes != nil {
		answer.Nodes = &corev1.NodeList{Items: slices.DeleteFunc(asked.Nodes.Items, func(n corev1.Node) bool { return !slices.Contains(left, n.Name) })}
	}
	return answer, err
}

// preempt answers the question which candidates are left. The answer names victims by their UIDs; a victim that
// is on no node has the UID nobody.
func (x *served) preempt(r *http.Request) (any, error) {
	var args extenderv1.ExtenderPreemptionArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		return nil, err
	}
	all := x.c.onNodes()
	left, err := x.change(x.c, proposalsOf(&args, all))

	answer := &extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	for node, p := range left {
		victims := &extenderv1.MetaVictims{NumPDBViolations: p.violations}
		for _, key := range p.victims {
			uid := "nobody"
			if pod := all[key]; pod != nil {
				uid = string(pod.UID)
			}
			victims.Pods = append(victims.Pods, &extenderv1.MetaPod{UID: uid})
		}
		answer.NodeNameToMetaVictims[node] = victims
	}
	return answer, err
}

// proposalsOf returns the candidates of a question, by node. An extender that caches nodes is asked with the UIDs
// of the victims, another one with the pods.
func proposalsOf(args *extenderv1.ExtenderPreemptionArgs, all map[string]*corev1.Pod) map[string]proposal {
	keys := map[string]string{} // by UID
	for key, p := range all {
		keys[string(p.UID)] = key
	}

	asked := map[string]proposal{}
	for node, v := range args.NodeNameToMetaVictims {
		p := proposal{violations: v.NumPDBViolations}
		for _, pod := range v.Pods {
			p.victims = append(p.victims, keys[pod.UID])
		}
		asked[node] = p
	}
	for node, v := range args.NodeNameToVictims {
		p := proposal{violations: v.NumPDBViolations}
		for _, pod := range v.Pods {
			p.victims = append(p.victims, podKey(pod))
		}
		asked[node] = p
	}
	return asked
}
