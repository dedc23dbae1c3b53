package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
)

// call is a request to the API about one pod: to delete it, to bind it to a node, or to patch it.
type call struct {
	pod    string
	delete bool
	bind   string // the node
	patch  []byte
}

// trouble says which of the calls about a pod fail or hang.
type trouble uint8

const (
	none        trouble = iota
	noCondition         // the patch that marks a victim as disrupted fails
	noDeletion          // the deletion fails
	hangs               // the deletion hangs
	noBinding           // the binding fails
)

// clerk stands in for the API server: it records calls, refuses some, and lets some deletions hang.
type clerk struct {
	mu sync.Mutex
	// made are the calls that have not been taken.
	made []call
	// ever are all calls of the attempt.
	ever []call
	// fate returns the trouble of the calls about a pod; nil for none.
	fate func(pod string) trouble
	// refused counts the calls of the attempt that failed.
	refused int
	// hanging counts the calls that hang. They hang until open is closed.
	hanging int
	open    chan struct{}
	// told are the pods whose deletion has begun and that are not gone.
	told map[string]bool
	// toldBefore is told as it was before the attempt.
	toldBefore map[string]bool
	// unbound are the pods whose binding was refused in the attempt.
	unbound map[string]bool
}

func newClerk() *clerk { return &clerk{told: map[string]bool{}, unbound: map[string]bool{}} }

func (c *clerk) client() kubernetes.Interface {
	client := &fake.Clientset{}
	client.AddReactor("*", "*", c.react)
	return &hangingClient{client, c}
}

// react lets a call succeed or fail, and records it if it succeeds.
func (c *clerk) react(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	// A client needs an object of the right type in return, whatever it holds.
	if action.GetResource().Resource == "podgroups" {
		group, err := newGroup()
		return true, group, err
	}
	if action.GetResource().Resource != "pods" {
		return true, &corev1.Pod{}, nil
	}
	one := callOf(action)
	if one.pod == "" {
		return true, &corev1.Pod{}, nil
	}

	t := c.troubleOf(one.pod)
	if t == noBinding && one.bind != "" {
		c.unbound[one.pod] = true
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, one.pod, fmt.Errorf("not there"))
	}
	if t == noDeletion && one.delete || t == noCondition && disrupts(one.patch) {
		c.refused++
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, one.pod, fmt.Errorf("not today"))
	}

	c.made, c.ever = append(c.made, one), append(c.ever, one)
	if one.delete {
		c.told[one.pod] = true
	}
	return true, &corev1.Pod{}, nil
}

// callOf returns what an action on pods asks for. It is about no pod if the action is of another kind.
func callOf(action clienttesting.Action) call {
	switch a := action.(type) {
	case clienttesting.DeleteAction:
		return call{pod: a.GetNamespace() + "/" + a.GetName(), delete: true}
	case clienttesting.PatchAction:
		return call{pod: a.GetNamespace() + "/" + a.GetName(), patch: a.GetPatch()}
	case clienttesting.CreateAction:
		if binding, ok := a.GetObject().(*corev1.Binding); ok {
			return call{pod: binding.Namespace + "/" + binding.Name, bind: binding.Target.Name}
		}
	}
	return call{}
}

func (c *clerk) troubleOf(pod string) trouble {
	if c.fate == nil {
		return none
	}
	return c.fate(pod)
}

// disrupts reports whether a patch sets the condition of a victim.
func disrupts(patch []byte) bool {
	var p struct {
		Status struct{ Conditions []corev1.PodCondition }
	}
	return json.Unmarshal(patch, &p) == nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.DisruptionTarget })
}

// begin prepares the clerk for an attempt whose calls have that fate.
func (c *clerk) begin(fate func(pod string) trouble) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fate, c.ever = fate, nil
	c.refused, c.unbound = 0, map[string]bool{}
	c.toldBefore = maps.Clone(c.told)
}

// forget forgets that a pod was deleted, because it is gone.
func (c *clerk) forget(pod string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.told, pod)
}

// news returns the pods among these that were not deleted before the attempt.
func (c *clerk) news(pods []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(pods), func(pod string) bool { return c.toldBefore[pod] })
}

// take returns the calls that were not taken before.
func (c *clerk) take() []call {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.made
	c.made = nil
	return made
}

// did returns the pods that the calls of the attempt deleted, and the other pods whose nominations they cleared.
// Both lists are sorted. The argument is the pod of the attempt, whose own nomination does not count.
func (c *clerk) did(pod string) (deleted, cleared []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.ever {
		switch {
		case one.delete:
			deleted = append(deleted, one.pod)
		case one.patch != nil && one.pod != pod && clearsNomination(one.patch):
			cleared = append(cleared, one.pod)
		}
	}
	return sorted(deleted), sorted(cleared)
}

// state returns how many calls hang and were refused, and whether the pod was bound.
func (c *clerk) state(pod string) (hanging, refused int, bound bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hanging, c.refused, slices.ContainsFunc(c.ever, func(one call) bool { return one.pod == pod && one.bind != "" })
}

// bindingFailed reports whether the pod's binding was refused, and whether its status was patched since.
func (c *clerk) bindingFailed(pod string) (refused, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unbound[pod], slices.ContainsFunc(c.ever, func(one call) bool { return one.pod == pod && one.patch != nil })
}

// hold waits if the deletion of the pod hangs. The caller makes the deletion afterwards and then calls made.
func (c *clerk) hold(pod string) (made func()) {
	c.mu.Lock()
	if c.troubleOf(pod) != hangs {
		c.mu.Unlock()
		return func() {}
	}

	// The lock is released while the call hangs. LetGo replaces the channel, so that the present one is noted.
	if c.open == nil {
		c.open = make(chan struct{})
	}
	open := c.open
	c.hanging++
	c.told[pod] = true
	c.mu.Unlock()
	<-open

	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hanging--
	}
}

// letGo lets all hanging calls go on. The calls that follow have no trouble.
func (c *clerk) letGo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil {
		close(c.open)
	}
	c.open, c.fate = nil, nil
}

// hangingClient lets deletions hang before they reach the clientset. The clientset takes one call at a time, so
// that a call that hung in it would stop all others.
type hangingClient struct {
	kubernetes.Interface
	clerk *clerk
}

type hangingCore struct {
	typedv1.CoreV1Interface
	clerk *clerk
}

type hangingPods struct {
	typedv1.PodInterface
	namespace string
	clerk     *clerk
}

func (c *hangingClient) CoreV1() typedv1.CoreV1Interface {
	return &hangingCore{c.Interface.CoreV1(), c.clerk}
}

func (c *hangingCore) Pods(namespace string) typedv1.PodInterface {
	return &hangingPods{c.CoreV1Interface.Pods(namespace), namespace, c.clerk}
}

func (p *hangingPods) Delete(ctx context.Context, name string, options metav1.DeleteOptions) error {
	defer p.clerk.hold(p.namespace + "/" + name)()
	return p.PodInterface.Delete(ctx, name, options)
}

func (c *clerk) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hanging > 0
}
