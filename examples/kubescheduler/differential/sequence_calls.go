package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
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

// news returns those of the pods that were not deleted before the attempt.
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

// heldBack describes the calls that hang.
type heldBack struct {
	// now is true during the attempt whose calls they are.
	now bool
	// left is the number of attempts that are made before the calls go on.
	left int
}

// draw decides the fate of the calls of the next attempt: mostly success.
func (s *sequenceRun) draw() {
	// Only the calls of one attempt hang at a time.
	var fate func(string) trouble
	kinds := []trouble{noCondition, noDeletion, noBinding, hangs}
	if s.held != nil {
		kinds = kinds[:3]
	}

	// One in three victims is in trouble. Which ones must not depend on the order of calls, which are made at
	// once: a hash of the name decides.
	if s.Loop == nil && s.oneIn(5) {
		kind, salt := pick(s.generator, kinds...), fmt.Sprint(s.Uint64())
		fate = func(pod string) trouble {
			h := fnv.New32a()
			_, _ = h.Write([]byte(salt + pod))
			if h.Sum32()%3 > 0 && kind != noBinding {
				return none
			}
			return kind
		}
	}
	s.scheduler.begin(fate)
	s.rival.clerk.begin(fate)
}

// settle waits until the scheduler has done everything of this attempt, or hangs.
func (s *sequenceRun) settle() {
	expected := s.expected()
	s.until(func() bool {
		// A pod that fits is bound, or its binding fails. A resize that fits is left to the kubelet.
		hanging, _, bound := s.scheduler.state(s.r.preemptor)
		if s.r.answer.Fits {
			refused, told := s.scheduler.bindingFailed(s.r.preemptor)
			return bound || refused && told || isRunning(s.current)
		}

		// A plan that hung before the attempt still does, so that the victims are awaited and not its end.
		return s.held == nil && hanging > 0 || !s.carriesOut(s.current) || s.hasHungBefore(s.current.UID) && s.toldAll(expected)
	})
	s.settleRival(s.current)
	if refused, _ := s.scheduler.bindingFailed(s.r.preemptor); refused {
		s.result.Counts["bindings that failed"]++
	}
	s.settleTrouble(s.current)
}

// expected returns the victims that the scheduler will tell to go, if the follower that shares its memory is
// right.
func (s *sequenceRun) expected() []string {
	if d := s.answers["framework"]; d != nil && !s.r.answer.Fits {
		return d.answer(s.r.answer.Nominated).Evicted
	}
	return nil
}

// toldAll reports whether the scheduler has told exactly these to go.
func (s *sequenceRun) toldAll(expected []string) bool {
	deleted, _ := s.scheduler.did("")
	return slices.Equal(deleted, expected)
}

// hasHungBefore reports whether a plan of the preemptor hung already before the attempt. Then it still hangs when
// the attempt is over, with whatever result.
func (s *sequenceRun) hasHungBefore(uid types.UID) bool { return slices.Contains(s.underWay, uid) }

// hanging returns the preemptors whose plans hang.
func (s *sequenceRun) hanging() (list []types.UID) {
	if s.held == nil {
		return nil
	}
	for _, name := range ProfileNames {
		list = append(list, preempting(s.rival.own[name])...)
	}
	return list
}

// settleRival waits until the rival has carried its plan out. While calls hang it is compared with nothing, and
// the wait is short.
func (s *sequenceRun) settleRival(p *corev1.Pod) {
	if s.held != nil {
		s.soon(func() bool { return !s.rival.underWay(p) })
		return
	}
	s.until(func() bool { return s.rival.clerk.busy() || !s.rival.underWay(p) })
}

// settleTrouble records the failed and hanging calls of an attempt about the pod, or about a group with that pod.
func (s *sequenceRun) settleTrouble(pod *corev1.Pod) {
	hanging, refused, _ := s.scheduler.state(podKey(pod))

	// After a failed call the scheduler may activate the preemptor.
	if refused > 0 {
		s.result.Counts["calls that failed"] += refused
		s.soon(func() bool {
			return slices.ContainsFunc(s.r.sched.SchedulingQueue.PodsInActiveQ(), func(p *corev1.Pod) bool { return p.UID == pod.UID })
		})
	}

	switch {
	case s.held != nil:
		s.held.now = false
	case hanging > 0:
		s.held = &heldBack{now: true, left: s.between(1, 3)}
		s.note("hangs", "%d for %d attempts", hanging, s.held.left)
	}
}

// until waits for a change that another goroutine makes and that must come.
func (s *sequenceRun) until(is func() bool) {
	if !wait(25000, is) {
		s.result.Counts["waited for nothing"]++
	}
}

// soon waits for a change that need not come.
func (s *sequenceRun) soon(is func() bool) { wait(100, is) }

func wait(times int, is func() bool) bool {
	for range times {
		if is() {
			return true
		}
		time.Sleep(200 * time.Microsecond)
	}
	return false
}

// release lets hanging calls go on when they have hung long enough. While news is late they go on hanging: what
// they change must not overtake it.
func (s *sequenceRun) release() error {
	if s.held == nil {
		return nil
	}
	if s.held.left--; s.held.left >= 0 || s.late != nil {
		return nil
	}
	s.letGo()
	return s.apply(s.scheduler.take())
}

// letGo lets the hanging calls of the scheduler and the rival go on, and waits for their end.
func (s *sequenceRun) letGo() {
	s.scheduler.letGo()
	s.rival.clerk.letGo()
	s.until(func() bool {
		return !s.scheduler.busy() && !s.rival.clerk.busy() && !s.anyPreempting() && !slices.ContainsFunc(s.known(), s.rival.underWay)
	})
	s.held = nil
}

func (c *clerk) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hanging > 0
}

// apply does what the API server does with the calls, and passes the new versions of the pods on, at once or
// late.
func (s *sequenceRun) apply(calls []call) error {
	// Several calls about a pod make one version of it. A pod that is gone has none.
	var changed []*corev1.Pod
	for _, one := range calls {
		at := slices.IndexFunc(changed, func(p *corev1.Pod) bool { return podKey(p) == one.pod })
		if at < 0 {
			p := s.all[one.pod]
			if p == nil {
				continue
			}
			changed, at = append(changed, p.DeepCopy()), len(changed)
		}
		if err := s.applyTo(changed[at], one); err != nil {
			return err
		}
	}

	if s.Loop == nil && s.late == nil && len(changed) > 0 && s.oneIn(4) {
		s.late = changed
		s.note("late", "%d pods", len(changed))
		return nil
	}
	return s.tell(changed)
}

func (s *sequenceRun) applyTo(p *corev1.Pod, one call) error {
	switch {
	case one.delete:
		if p.DeletionTimestamp == nil {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: start.Add(time.Second)}, new(int64)
			*p.DeletionGracePeriodSeconds = 30
		}
	case one.bind != "":
		p.Spec.NodeName, p.Status.NominatedNodeName = one.bind, ""
		p.Status.Phase = corev1.PodRunning
		s.begun(p)
	default:
		before, err := json.Marshal(p)
		if err != nil {
			return err
		}
		after, err := strategicpatch.StrategicMergePatch(before, one.patch, corev1.Pod{})
		if err != nil {
			return fmt.Errorf("patch %s: %w", one.patch, err)
		}
		*p = corev1.Pod{}
		return json.Unmarshal(after, p)
	}
	return nil
}

// arrive passes the late versions on.
func (s *sequenceRun) arrive() error {
	late := s.late
	s.late = nil
	return s.tell(late)
}

// tell passes on new versions of pods, except of pods that are gone.
func (s *sequenceRun) tell(changed []*corev1.Pod) error {
	for _, p := range changed {
		if now := s.all[podKey(p)]; now == nil || now.UID != p.UID {
			continue
		}
		if err := s.put(p); err != nil {
			return err
		}
	}
	return nil
}
