package plugin_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
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

// run returns the writes, and the pods at the end.
func (s *situation) run(t *testing.T, mine bool) (writes, []string) {
	c := newCluster(t, copies(s.objects)...)
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
	return c.writes(), c.placed()
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

// attempts are how often each pod was tried in vain, which chance decides where several
// updates come together.
func (w writes) attempts() writes {
	of := maps.Clone(w)
	maps.DeleteFunc(of, func(what string, _ int) bool { return !strings.HasPrefix(what, "event FailedScheduling") })
	return of
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
	calls, most := 0, 0
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			want, end := s.run(t, false)
			got, ended := s.run(t, true)
			for range 4 {
				if maps.Equal(want.attempts(), got.attempts()) {
					break
				}
				want, end = s.run(t, false)
				got, ended = s.run(t, true)
			}
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
