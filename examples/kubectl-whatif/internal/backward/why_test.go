package backward_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/backward"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// shop is full: web runs on n1, and batch on n2 is worth less. first and second wait, each for
// the room of one of them.
func shop() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("web", "n1", 10, "3", labelled("web")), pod("batch", "n2", 5, "3"), pod("db", "n2", 90, "1"),
			pod("first", "", 100, "2"), pod("second", "", 50, "2"),
		},
		Classes: []*outrank.PriorityClass{{Name: "mid", Value: 40}, {Name: "high", Value: 60}, {Name: "higher", Value: 80}},
	}
}

func ask(t *testing.T, c *outrank.Cluster, key outrank.Key, events string) (*backward.Answer, error) {
	t.Helper()
	s, err := question.NewScenario(context.Background(), set(t, c))
	require.NoError(t, err)
	in := backward.Input{Pod: key, Classes: c.Classes}
	if events != "" {
		in.Events, err = backward.ReadEvents(strings.NewReader(events))
		require.NoError(t, err)
	}
	return backward.Ask(s, in)
}

func event(victim, more string) string {
	return `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":{"kind":"Pod","namespace":"shop","name":"` + victim +
		`"},"reason":"Preempted",` + more + `}`
}

// web is the only victim that is left once batch has left for first: it leaves for second,
// after first, though alone second would take batch.
func TestFoundByTurns(t *testing.T) {
	a, err := ask(t, shop(), "shop/web", "")
	require.NoError(t, err)
	assert.Equal(t, backward.ByTheRules, a.Verdict)
	assert.Equal(t, outrank.Key("shop/second"), a.By.Key)
	assert.Equal(t, 1, a.Before)
	assert.False(t, a.AtOnce)
	assert.Empty(t, a.Also)
	assert.Equal(t, 1, a.Tried)
	spared := map[backward.Way]bool{}
	for _, trial := range a.Trials {
		spared[trial.Way] = trial.Spared
	}
	assert.Equal(t, map[backward.Way]bool{
		backward.ByBudget: false, backward.ByClass: true, backward.ByPriority: true, backward.ByNode: true, backward.ByPolicy: true,
	}, spared, "nobody else is there that could leave instead, so a budget is broken")
	assert.Equal(t, map[string]string{"app": "web"}, a.Trials[0].Labels)
	assert.Equal(t, "high", a.Trials[1].Class)
	assert.Equal(t, int32(50), *a.Trials[2].Priority)
	var text bytes.Buffer
	require.NoError(t, a.WriteText(&text, 5))
	for _, want := range []string{
		"shop/web (priority 10) left node n1 for pod shop/second (priority 50).",
		"in its turn, after 1 other, shop/second pushes out",
		"not spared: a new disruption budget over app=web that allows nothing; then shop/second pushes out shop/web (10, against budget",
		"spared: priority 50, one less is not enough; then shop/second stays pending, and nobody leaves",
	} {
		assert.Contains(t, strings.Join(strings.Fields(text.String()), " "), strings.Join(strings.Fields(want), " "))
	}
	again, err := ask(t, shop(), "shop/web", "")
	require.NoError(t, err)
	var same bytes.Buffer
	require.NoError(t, again.WriteText(&same, 5))
	assert.Equal(t, text.String(), same.String())
}

// Every form in which schedulers name the preemptor leads to it.
func TestEventsNameThePreemptor(t *testing.T) {
	for name, events := range map[string]string{
		"by uid":               event("web", `"message":"Preempted by pod uid-second on node n1"`),
		"by name":              event("web", `"message":"Preempted by shop/second on node n1"`),
		"of v1.13":             event("web", `"message":"by shop/second on node n1"`),
		"related":              event("web", `"message":"Preempted by a pod on node n1","related":{"kind":"Pod","namespace":"shop","name":"second","uid":"uid-second"}`),
		"the latest":           event("web", `"message":"Preempted by pod uid-first on node n1","lastTimestamp":"2026-03-01T10:00:00Z"`) + event("web", `"message":"Preempted by pod uid-second on node n1","lastTimestamp":"2026-03-01T11:00:00Z"`),
		"of others beside it":  event("batch", `"message":"Preempted by pod uid-first on node n2"`) + event("web", `"message":"Preempted by pod uid-second on node n1"`),
		"in a list":            `{"apiVersion":"v1","kind":"List","items":[` + event("web", `"message":"Preempted by pod uid-second on node n1"`) + `]}`,
		"of the other version": `{"apiVersion":"events.k8s.io/v1","kind":"EventList","items":[{"metadata":{"name":"e"},"eventTime":"2026-03-01T11:00:00.000000Z","regarding":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"Preempted","note":"Preempted by pod uid-second on node n1"}]}`,
		"in YAML":              "apiVersion: v1\nkind: Event\nmetadata: {name: e}\ninvolvedObject: {kind: Pod, namespace: shop, name: web}\nreason: Preempted\nmessage: Preempted by pod uid-second on node n1\n",
	} {
		a, err := ask(t, shop(), "shop/web", events)
		require.NoError(t, err, name)
		require.NotNil(t, a.Event, name)
		assert.Equal(t, outrank.Key("shop/second"), a.By.Key, name)
		assert.Equal(t, backward.ByTheRules, a.Verdict, name)
		assert.Equal(t, 1, a.Before, name)
	}
}

// An event whose decision the rules do not make on this dump is told as such; one whose turn
// came before those that the scheduler's order puts first is played at once.
func TestOtherThanTheEvents(t *testing.T) {
	a, err := ask(t, shop(), "shop/web", event("web", `"message":"Preempted by pod uid-first on node n1"`))
	require.NoError(t, err)
	assert.Equal(t, backward.Otherwise, a.Verdict)
	assert.Empty(t, a.Trials)
	var text bytes.Buffer
	require.NoError(t, a.WriteText(&text, 5))
	assert.Contains(t, text.String(), "The rules decide otherwise on the cluster of the dump: there shop/first pushes out shop/batch (5)")

	a, err = ask(t, shop(), "shop/batch", event("batch", `"message":"Preempted by pod uid-second on node n2"`))
	require.NoError(t, err)
	assert.Equal(t, backward.ByTheRules, a.Verdict)
	assert.True(t, a.AtOnce)
	assert.Zero(t, a.Before)

	a, err = ask(t, shop(), "shop/web", event("web", `"message":"Preempted by pod uid-second on node n2"`))
	require.NoError(t, err)
	assert.Equal(t, backward.Otherwise, a.Verdict, "the event is about another node")
}

// A pod that nobody pushes out, and events that are about others, have an answer that says
// what is missing.
func TestNobody(t *testing.T) {
	for name, events := range map[string]string{
		"": "", "about another": event("web", `"message":"Preempted by pod uid-first on node n1"`),
		"without a name":             event("db", `"message":"made room"`),
		"of another uid":             event("db", `"message":"Preempted by pod uid-first on node n1"`)[:0] + strings.Replace(event("db", `"message":"Preempted by pod uid-first on node n1"`), `"name":"db"`, `"name":"db","uid":"uid-before"`, 1),
		"of another kind":            strings.Replace(event("db", `"message":"Preempted by pod uid-first on node n1"`), `"kind":"Pod"`, `"kind":"Node"`, 1),
		"of another reason":          strings.Replace(event("db", `"message":"Preempted by pod uid-first on node n1"`), `"Preempted",`, `"Killing",`, 1),
		"objects that are no events": `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`,
	} {
		a, err := ask(t, shop(), "shop/db", events)
		require.NoError(t, err, name)
		assert.Equal(t, backward.Nobody, a.Verdict, name)
		var text bytes.Buffer
		require.NoError(t, a.WriteText(&text, 5))
		assert.Contains(t, text.String(), "What is missing is", name)
	}
}

// A kubelet that evicted the pod is told apart from a scheduler, and what events say is safe
// and short.
func TestKubelet(t *testing.T) {
	events := strings.Replace(event("web", `"message":"Preempted in order to admit critical pod\u001b[31m`+strings.Repeat("x", 5000)+`"`), "Preempted", "Preempting", 1)
	a, err := ask(t, shop(), "shop/web", events)
	require.NoError(t, err)
	assert.Equal(t, backward.ByKubelet, a.Verdict)
	assert.Empty(t, a.Trials)
	var text bytes.Buffer
	require.NoError(t, a.WriteText(&text, 5))
	assert.Contains(t, text.String(), "The kubelet evicted shop/web (priority 10) from node n1.")
	assert.Contains(t, strings.Join(strings.Fields(text.String()), " "), "--on-node n1 asks")
	assert.NotContains(t, text.String(), "\x1b")
	assert.Less(t, text.Len(), 1500)
	assert.NotNil(t, a.Overview(nil, nil).Snapshot)
	later, err := ask(t, shop(), "shop/web", events+event("web", `"message":"Preempted by pod uid-second on node n1"`))
	require.NoError(t, err)
	assert.Equal(t, backward.ByTheRules, later.Verdict)
}

// What cannot be asked is an error that says which dump or event is wanted.
func TestContradictions(t *testing.T) {
	leaving := shop()
	leaving.Pods[0].DeletionTimestamp, leaving.Pods[0].DisruptionReason = now, outrank.PreemptionByScheduler
	runs := shop()
	runs.Pods[4].NodeName = "n1"
	for _, tt := range []struct {
		c              *outrank.Cluster
		pod            outrank.Key
		events, wanted string
	}{
		{shop(), "shop/none", "", "pod shop/none: not found"},
		{shop(), "shop/first", "", "pod shop/first has no node in the dump"},
		{leaving, "shop/web", "", "pod shop/web is being deleted already in the dump (PreemptionByScheduler)"},
		{shop(), "shop/web", event("web", `"message":"Preempted by pod uid-gone on node n1"`), "the pod with uid uid-gone on node n1 pushed shop/web out, and the dump has no such pod"},
		{shop(), "shop/web", event("web", `"related":{"kind":"Pod","namespace":"a","name":"b"}`), "pod a/b pushed shop/web out, and the dump has no such pod"},
		{shop(), "shop/web", event("web", `"related":{"kind":"Pod","namespace":"shop","name":"first","uid":"other"}`), "the pod of that name in the dump is another, with uid uid-first"},
		{runs, "shop/web", event("web", `"message":"Preempted by pod uid-second on node n1"`), "in the dump that pod runs on node n1 already"},
		{shop(), "shop/web", event("web", `"message":"Preempted by podgroup u on node cluster"`), "the group with uid u, pushed shop/web out"},
	} {
		_, err := ask(t, tt.c, tt.pod, tt.events)
		assert.ErrorContains(t, err, strings.Replace(tt.wanted, "uid u,", "uid u", 1))
	}
}

// Broken events name the event and the field.
func TestBrokenEvents(t *testing.T) {
	for events, want := range map[string]string{
		`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"shop"},"involvedObject":5}`: "event shop/e: involvedObject: cannot be a JSON number",
		event("web", `"lastTimestamp":"yesterday"`):                                                        "event shop/e",
		event("web", `"message":["a"]`):                                                                    "event shop/e: message: cannot be a JSON array",
		`{"apiVersion":"v1","kind":"Event"`:                                                                "this cannot be read as JSON",
		`[1]`:                                                                                              "stands no object",
	} {
		_, err := backward.ReadEvents(strings.NewReader(events))
		assert.ErrorContains(t, err, want)
	}
	late, err := backward.ReadEvents(strings.NewReader(event("web", `"eventTime":"9999-12-31T23:59:59-10:00","message":"Preempted by pod u on node n1"`)))
	require.NoError(t, err)
	assert.True(t, late.Preempted[0].Time.IsZero(), "a time that JSON cannot hold is no time")
	e, err := backward.ReadEvents(strings.NewReader(""))
	require.NoError(t, err)
	assert.Zero(t, e.Read)
}

// A group is a preemptor, too, by any of its pods.
func TestGroupAsPreemptor(t *testing.T) {
	c := shop()
	c.Release, _ = outrank.ParseRelease("v1.37,GenericWorkload=true")
	c.Groups = []*outrank.PodGroup{{Namespace: "shop", Name: "gang", UID: "uid-gang", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(100)}}
	c.Pods = append(c.Pods[:3], pod("a", "", 100, "2"), pod("b", "", 100, "2"))
	c.Pods[3].Group, c.Pods[4].Group = "gang", "gang"
	for _, events := range []string{"", event("web", `"message":"Preempted by podgroup uid-gang on node cluster"`),
		event("web", `"related":{"kind":"PodGroup","namespace":"shop","name":"gang"},"message":"Preempted by podgroup uid-gang on node cluster"`)} {
		a, err := ask(t, c, "shop/web", events)
		require.NoError(t, err)
		assert.Equal(t, backward.ByTheRules, a.Verdict)
		assert.True(t, a.Group)
		assert.Equal(t, outrank.Key("shop/gang"), a.By.Key)
		assert.True(t, a.Trials[4].Spared, "both wait")
		assert.NotEmpty(t, a.Overview(nil, nil).Come)
	}
}
