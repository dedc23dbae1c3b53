package plugin_test

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	ktesting "k8s.io/client-go/testing"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// writes counts a scheduler's writes to the API: calls by verb, resource and
// subresource, and events by their object and reason.
type writes map[string]int

// writes are those since the test has created its last object by itself.
func (c *cluster) writes() writes {
	count := writes{}
	for _, action := range c.api.Actions() {
		name := ""
		switch a := action.(type) {
		case ktesting.PatchAction:
			name = a.GetName()
		case ktesting.DeleteAction:
			name = a.GetName()
		}
		switch action.GetVerb() {
		case "get", "list", "watch":
			continue
		case "create", "update":
			if action.GetSubresource() == "" {
				continue // the test's own
			}
		}
		count[strings.TrimSpace(strings.Join([]string{action.GetVerb(), action.GetResource().Resource, action.GetSubresource(), name}, " "))]++
	}
	for _, e := range c.recorder.about("") {
		words := strings.Fields(e)
		count["event "+words[2]+" "+words[0]]++
	}
	return count
}

// situation is the input of two schedulers, one with DefaultPreemption and one
// with the plugin.
type situation struct {
	name    string
	objects []apiruntime.Object
	// prepare changes the API's behaviour.
	prepare func(*cluster)
	// happens makes the events, and waits until all their consequences are written.
	happens func(*cluster)
}

// run returns the writes, and the pods at the end. Time is that of a bubble, in which a write takes
// effect after everything that happened before it has had its consequences.
func (s *situation) run(t *testing.T, mine bool) (count writes, end []string) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, copies(s.objects)...)
		c.client = slowed{c.api}
		if !mine {
			c.profile.Plugins = &configv1.Plugins{}
		}
		c.api.PrependReactor("delete", "pods", c.graceful)
		c.api.PrependReactor("patch", "pods", c.versioned())
		if s.prepare != nil {
			s.prepare(c)
		}
		c.run()
		s.happens(c)
		c.stop()
		<-c.stopped
		count, end = c.writes(), c.placed()
	})
	return count, end
}

// slowed is a clientset whose writes take their time: each another one, and the same in every
// scheduler. So no two of them come together, whichever goroutine is first.
type slowed struct{ kubernetes.Interface }

func (s slowed) CoreV1() typedv1.CoreV1Interface { return slowedCore{s.Interface.CoreV1()} }

type slowedCore struct{ typedv1.CoreV1Interface }

func (s slowedCore) Pods(namespace string) typedv1.PodInterface {
	return slowedPods{s.CoreV1Interface.Pods(namespace)}
}

type slowedPods struct{ typedv1.PodInterface }

// wait is for up to 100 ms, by what is written.
func (slowedPods) wait(what ...string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.Join(what, " ")))
	time.Sleep(time.Duration(h.Sum32()%100_000) * time.Microsecond)
}

func (s slowedPods) Patch(ctx context.Context, name string, kind types.PatchType, patch []byte, o metav1.PatchOptions, sub ...string) (*v1.Pod, error) {
	s.wait("patch", name)
	return s.PodInterface.Patch(ctx, name, kind, patch, o, sub...)
}

func (s slowedPods) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	s.wait("delete", name)
	return s.PodInterface.Delete(ctx, name, o)
}

func (s slowedPods) Bind(ctx context.Context, binding *v1.Binding, o metav1.CreateOptions) error {
	s.wait("bind", binding.Name)
	return s.PodInterface.Bind(ctx, binding, o)
}

// versioned gives patches their effect in the API: the pod has another version
// afterwards. Schedulers pass over updates that change none.
func (c *cluster) versioned() ktesting.ReactionFunc {
	patches, apply := 0, ktesting.ObjectReaction(c.api.Tracker())
	return func(action ktesting.Action) (bool, apiruntime.Object, error) {
		handled, object, err := apply(action)
		if err != nil {
			return handled, object, err
		}
		patches++
		pod := object.(*v1.Pod).DeepCopy()
		pod.ResourceVersion = strconv.Itoa(patches)
		return true, pod, c.api.Tracker().Update(action.GetResource(), pod, pod.Namespace)
	}
}

func copies(of []apiruntime.Object) []apiruntime.Object {
	list := make([]apiruntime.Object, len(of))
	for i := range of {
		list[i] = of[i].DeepCopyObject()
	}
	return list
}

// placed has each pod's node, its nomination, and whether it is being deleted.
func (c *cluster) placed() (list []string) {
	pods, err := c.api.CoreV1().Pods("default").List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range pods.Items {
		line := p.Name + " on " + cmp.Or(p.Spec.NodeName, "-") + " nominated " + cmp.Or(p.Status.NominatedNodeName, "-")
		if p.DeletionTimestamp != nil {
			line += " leaves"
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// Where both decide the same, the plugin makes no more calls than DefaultPreemption: no
// call more of any verb, resource and subresource about any pod, and no event more.
func TestWritesNoMoreThanTheDefault(t *testing.T) {
	// The scheduler listens to a signal, and the first to do so in a program must not be in a bubble.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2)
	defer signal.Stop(signals)
	// Errors are logged, and do not wait for the time of the one before: the bubbles' times are no one
	// time.
	handlers := utilruntime.ErrorHandlers
	utilruntime.ErrorHandlers = handlers[:1]
	defer func() { utilruntime.ErrorHandlers = handlers }()

	calls, most := 0, 0
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			want, end := s.run(t, false)
			got, ended := s.run(t, true)
			assert.Equal(t, end, ended, "both decide the same")
			for _, what := range slices.Sorted(maps.Keys(got)) {
				assert.LessOrEqual(t, got[what], want[what], what)
			}
			for _, n := range got {
				calls += n
			}
			for _, n := range want {
				most += n
			}
		})
	}
	t.Logf("%d writes, and %d by DefaultPreemption", calls, most)
}
