package quota_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

func classes(op outrank.Operator, names ...string) quota.Requirement {
	return quota.Requirement{Scope: quota.PriorityClass, Operator: op, Values: names}
}

func scope(s quota.Scope) quota.Requirement {
	return quota.Requirement{Scope: s, Operator: outrank.Exists}
}

// hard is a quota of these limits, of which nothing is in use.
func hard(name string, limits resource.List, scopes ...quota.Requirement) *quota.Quota {
	q := &quota.Quota{Name: name, Hard: limits, Scopes: scopes, Used: resource.List{}}
	for n := range limits {
		q.Used[n] = resource.Quantity{}
	}
	return q
}

func list(pairs ...string) resource.List { return resource.MustList(pairs...) }

// asks is a pod of a class with the requests of one container.
func asks(class, cpu string) *outrank.Pod {
	return &outrank.Pod{Name: "web", PriorityClassName: class, Containers: []outrank.Container{{
		Name: "main", Requests: list("cpu", cpu), Limits: list("cpu", cpu),
	}}}
}

// urgent limits the class urgent.
var urgent = quota.Admission{Limited: []quota.Limited{{Resource: "pods", MatchScopes: []quota.Requirement{classes(outrank.In, "urgent", "most-urgent")}}}}

func TestAdmit(t *testing.T) {
	pods1 := list("pods", "1")
	for name, x := range map[string]struct {
		admission quota.Admission
		quotas    []*quota.Quota
		pod       quota.Pod
		want      string // empty: it may be created
	}{
		"nothing is limited": {pod: quota.Pod{Pod: asks("urgent", "1")}},
		"20.2.7: a limited class needs a quota": {
			admission: urgent, pod: quota.Pod{Pod: asks("urgent", "1")},
			want: "insufficient quota to match these scopes: [{PriorityClass In [urgent most-urgent]}]",
		},
		"another class does not":                {admission: urgent, pod: quota.Pod{Pod: asks("usual", "1")}},
		"20.1.2: no class is not in the list":   {admission: urgent, pod: quota.Pod{Pod: asks("", "1")}},
		"a quota for the class lets it in":      {admission: urgent, quotas: []*quota.Quota{hard("q", pods1, classes(outrank.In, "urgent"))}, pod: quota.Pod{Pod: asks("urgent", "1")}},
		"a quota for all classes does":          {admission: urgent, quotas: []*quota.Quota{hard("q", pods1, scope(quota.PriorityClass))}, pod: quota.Pod{Pod: asks("urgent", "1")}},
		"20.2.7: one about services covers too": {admission: urgent, quotas: []*quota.Quota{hard("q", list("services", "1"), classes(outrank.In, "urgent"))}, pod: quota.Pod{Pod: asks("urgent", "1")}},
		"a quota for another class does not": {
			admission: urgent, quotas: []*quota.Quota{hard("q", pods1, classes(outrank.In, "most-urgent"))}, pod: quota.Pod{Pod: asks("urgent", "1")},
			want: "insufficient quota to match these scopes: [{PriorityClass In [urgent most-urgent]}]",
		},
		"a quota without scopes does not": {
			admission: urgent, quotas: []*quota.Quota{hard("q", pods1)}, pod: quota.Pod{Pod: asks("urgent", "1")},
			want: "insufficient quota to match these scopes: [{PriorityClass In [urgent most-urgent]}]",
		},
		"nor does one in another namespace": {
			admission: urgent, quotas: []*quota.Quota{{Namespace: "other", Name: "q", Hard: pods1, Used: list("pods", "0"), Scopes: []quota.Requirement{scope(quota.PriorityClass)}}},
			pod: quota.Pod{Pod: asks("urgent", "1")}, want: "insufficient quota to match these scopes: [{PriorityClass In [urgent most-urgent]}]",
		},
		"20.2.5: a limit by scope counts for pods whatever it is written for": {
			admission: quota.Admission{Limited: []quota.Limited{{Resource: "services", MatchScopes: []quota.Requirement{classes(outrank.Exists)}}}},
			pod:       quota.Pod{Pod: asks("usual", "1")}, want: "insufficient quota to match these scopes: [{PriorityClass Exists []}]",
		},
		"20.1.2: NotIn holds without a class": {
			admission: quota.Admission{Limited: []quota.Limited{{Resource: "pods", MatchScopes: []quota.Requirement{classes(outrank.NotIn, "usual")}}}},
			pod:       quota.Pod{Pod: asks("", "1")}, want: "insufficient quota to match these scopes: [{PriorityClass NotIn [usual]}]",
		},
		"20.1.2: DoesNotExist": {
			admission: quota.Admission{Limited: []quota.Limited{{Resource: "pods", MatchScopes: []quota.Requirement{classes(outrank.DoesNotExist)}}}},
			pod:       quota.Pod{Pod: asks("", "1")}, want: "insufficient quota to match these scopes: [{PriorityClass DoesNotExist []}]",
		},
		"20.2.9: a full quota": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("pods", "2", "requests.cpu", "3"), Used: list("pods", "1", "requests.cpu", "2500m"), Scopes: []quota.Requirement{classes(outrank.In, "urgent")}}},
			pod:    quota.Pod{Pod: asks("urgent", "1")},
			want:   `pods "web" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=2500m, limited: requests.cpu=3`,
		},
		"20.2.9: everything that is exceeded is named": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("pods", "1", "limits.cpu", "1"), Used: list("pods", "1", "limits.cpu", "1")}},
			pod:    quota.Pod{Pod: asks("", "1")},
			want:   `pods "web" is forbidden: exceeded quota: q, requested: limits.cpu=1,pods=1, used: limits.cpu=1,pods=1, limited: limits.cpu=1,pods=1`,
		},
		"20.2.9: what is exceeded already is no obstacle": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("requests.example.com/gpu", "1", "pods", "9"), Used: list("requests.example.com/gpu", "5", "pods", "1")}},
			pod:    quota.Pod{Pod: asks("", "1")},
		},
		"20.2.9: a request of zero uses nothing": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("requests.cpu", "1"), Used: list("requests.cpu", "5")}}, pod: quota.Pod{Pod: asks("", "0")},
		},
		"20.3.6: limits of huge pages are not about pods": {quotas: []*quota.Quota{{Name: "q", Hard: list("limits.hugepages-2Mi", "1", "limits.example.com/gpu", "1")}}, pod: quota.Pod{Pod: asks("", "1")}},
		"20.3.6: extended resources are, by requests": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("requests.example.com/gpu", "1")}}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: status unknown for quota: q, resources: requests.example.com/gpu`,
		},
		"a quota of another class is not charged": {quotas: []*quota.Quota{hard("q", list("pods", "0"), classes(outrank.In, "urgent"))}, pod: quota.Pod{Pod: asks("usual", "1")}},
		"20.2.2: by name": {
			quotas: []*quota.Quota{hard("z", list("pods", "0")), hard("a", list("count/pods", "0"))}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: exceeded quota: a, requested: count/pods=1, used: count/pods=0, limited: count/pods=0`,
		},
		"20.2.3: every container has to say": {
			quotas: []*quota.Quota{hard("q", list("requests.cpu", "9", "limits.memory", "9", "requests.ephemeral-storage", "1"))},
			pod: quota.Pod{Pod: &outrank.Pod{
				Name: "web", Containers: []outrank.Container{{Name: "b", Requests: list("cpu", "1")}, {Name: "a", Limits: list("memory", "1")}},
				InitContainers: []outrank.Container{{Name: "i"}},
			}},
			want: `pods "web" is forbidden: failed quota: q: must specify limits.memory for: b,i; requests.cpu for: a,i`,
		},
		"20.2.3: a pod as a whole has said": {
			quotas: []*quota.Quota{hard("q", list("requests.cpu", "9"))},
			pod:    quota.Pod{Pod: &outrank.Pod{Name: "web", Containers: []outrank.Container{{Name: "b"}}, Resources: &resource.Requirements{Requests: list("cpu", "1")}}},
		},
		"20.2.4: not counted yet": {
			quotas: []*quota.Quota{{Name: "q", Hard: list("pods", "9", "count/pods", "9"), Used: list("pods", "1")}}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: status unknown for quota: q, resources: count/pods,pods`,
		},
		"what is not about pods need not be counted": {quotas: []*quota.Quota{{Name: "q", Hard: list("services", "9", "pods", "1"), Used: list("pods", "0")}}, pod: quota.Pod{Pod: asks("", "1")}},
		"20.2.6: a limited resource": {
			admission: quota.Admission{Limited: []quota.Limited{{Resource: "pods", MatchContains: []string{".cpu"}}}},
			quotas:    []*quota.Quota{hard("q", list("limits.cpu", "9"))}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: insufficient quota to consume: requests.cpu`,
		},
		"a limited resource of another kind": {admission: quota.Admission{Limited: []quota.Limited{{Resource: "services", MatchContains: []string{"cpu"}}}}, pod: quota.Pod{Pod: asks("", "1")}},
		"20.1.3: a deadline": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.Terminating))}, pod: quota.Pod{Pod: asks("", "1"), Deadline: true},
			want: `pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`},
		"20.1.3: none": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.Terminating))}, pod: quota.Pod{Pod: asks("", "1")}},
		"20.1.3: no deadline": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.NotTerminating))}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`},
		"20.1.4: best effort": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.BestEffort))}, pod: quota.Pod{Pod: asks("", "1")}},
		"20.1.4: not": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.NotBestEffort))}, pod: quota.Pod{Pod: asks("", "1")},
			want: `pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`},
		"20.1.1: all scopes have to hold": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.NotBestEffort), classes(outrank.In, "urgent"))}, pod: quota.Pod{Pod: asks("usual", "1")}},
		"20.1.5: preferred": {quotas: []*quota.Quota{hard("q", list("pods", "0"), scope(quota.CrossNamespacePodAffinity))}, pod: quota.Pod{Pod: asks("", "1"), PrefersAcross: true},
			want: `pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := x.admission.Admit(x.quotas, x.pod)
			require.NoError(t, err)
			assert.Equal(t, x.want, v.Message())
			assert.Equal(t, x.want == "", v.Reason == "")
		})
	}
}

func TestCrossNamespaceAffinity(t *testing.T) {
	q := []*quota.Quota{hard("q", list("pods", "0"), scope(quota.CrossNamespacePodAffinity))}
	for name, x := range map[string]struct {
		term outrank.PodAffinityTerm
		want bool
	}{
		"own":      {outrank.PodAffinityTerm{TopologyKey: "zone"}, true},
		"named":    {outrank.PodAffinityTerm{TopologyKey: "zone", Namespaces: []string{"other"}}, false},
		"selected": {outrank.PodAffinityTerm{TopologyKey: "zone", NamespaceSelector: &outrank.LabelSelector{}}, false},
	} {
		for _, place := range []func(p *outrank.Pod){
			func(p *outrank.Pod) { p.Affinity.PodAffinity = []outrank.PodAffinityTerm{x.term} },
			func(p *outrank.Pod) { p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{x.term} },
		} {
			pod := asks("", "1")
			place(pod)
			v, err := (&quota.Admission{}).Admit(q, quota.Pod{Pod: pod})
			require.NoError(t, err)
			assert.Equal(t, x.want, v.Reason == "", name)
		}
	}
}

// The whole usage of a pod, by the names of quotas (group 20.3).
func TestUsage(t *testing.T) {
	pod := &outrank.Pod{
		Name: "p", Overhead: list("cpu", "100m", "memory", "5"),
		Containers: []outrank.Container{
			{Requests: list("cpu", "1", "example.com/gpu", "2", "hugepages-2Mi", "4Mi", "ephemeral-storage", "7"), Limits: list("cpu", "2", "ephemeral-storage", "8", "example.com/gpu", "2")},
			{Requests: list("cpu", "1")},
		},
		InitContainers: []outrank.Container{{Limits: list("cpu", "3"), Requests: list("cpu", "500m")}},
	}
	assert.True(t, list(
		"count/pods", "1", "pods", "1", "cpu", "2100m", "requests.cpu", "2100m", "limits.cpu", "3100m", "memory", "5", "requests.memory", "5",
		"ephemeral-storage", "7", "requests.ephemeral-storage", "7", "limits.ephemeral-storage", "8",
		"hugepages-2Mi", "4Mi", "requests.hugepages-2Mi", "4Mi", "requests.example.com/gpu", "2",
	).Equal(quota.Usage(0, pod)), "%v", quota.Usage(0, pod))
	pod.Phase = outrank.PhaseSucceeded
	assert.True(t, list("count/pods", "1").Equal(quota.Usage(0, pod)))
}

// What a pod takes of a quota, by sums of plain integers: overhead comes on top of every
// request, and of a limit that is not zero (rules 20.3.3 and 20.3.5).
func TestPropertyUsage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const unsaid = -1
		amount := rapid.SampledFrom([]int64{unsaid, unsaid, 0, 0, 1, 2, 500, 1000})
		pod := &outrank.Pod{Name: "p", Containers: make([]outrank.Container, 2), InitContainers: make([]outrank.Container, 1)}
		overhead := rapid.SampledFrom([]int64{unsaid, 0, 1, 250}).Draw(t, "overhead")
		if overhead != unsaid {
			pod.Overhead = resource.List{"cpu": resource.NewMilli(overhead)}
		}
		want := map[resource.Name]int64{"count/pods": 1000, "pods": 1000}
		for _, kind := range []string{"requests", "limits"} {
			var first, second, init *int64
			for i, at := range []**int64{&first, &second, &init} {
				milli := amount.Draw(t, kind)
				if milli == unsaid {
					continue
				}
				*at = &milli
				c := &pod.InitContainers[0]
				if i < 2 {
					c = &pod.Containers[i]
				}
				list := resource.List{"cpu": resource.NewMilli(milli)}
				if kind == "requests" {
					c.Requests = list
				} else {
					c.Limits = list
				}
			}
			sum, largest, said := int64(0), int64(0), first != nil || second != nil || init != nil
			for _, x := range []*int64{first, second} {
				if x != nil {
					sum += *x
				}
			}
			if init != nil {
				largest = *init
			}
			total := max(sum, largest)
			switch {
			case kind == "requests" && (said || overhead != unsaid):
				total += max(0, overhead)
				want["cpu"], want["requests.cpu"] = total, total
			case kind == "limits" && said:
				if total > 0 {
					total += max(0, overhead)
				}
				want["limits.cpu"] = total
			}
		}
		got := map[resource.Name]int64{}
		for name, q := range quota.Usage(0, pod) {
			got[name] = q.MilliValue()
		}
		require.Equal(t, want, got, "%+v", pod)
	})
}

// Requests or limits of the pod as a whole let its containers off, whichever of the resources
// that count there they name (rule 20.2.3).
func TestLetOffAsAWhole(t *testing.T) {
	q := hard("q", list("requests.memory", "10Gi", "cpu", "9"))
	q.Used = list("requests.memory", "0", "cpu", "0")
	for name, letOff := range map[resource.Name]bool{"cpu": true, "memory": true, "hugepages-2Mi": true, "": false} {
		for _, limits := range []bool{false, true} {
			pod := &outrank.Pod{Name: "p", Containers: []outrank.Container{{Name: "c"}}, Resources: &resource.Requirements{}}
			switch amounts := list(string(name), "2Mi"); {
			case name == "":
			case limits:
				pod.Resources.Limits = amounts
			default:
				pod.Resources.Requests = amounts
			}
			v, err := (&quota.Admission{}).Admit([]*quota.Quota{q}, quota.Pod{Pod: pod})
			require.NoError(t, err)
			assert.Equal(t, letOff, v.Reason != "unstated", "%s, limits: %v: %s", name, limits, v.Message())
		}
	}
}

// Of a pod as a whole the spec counts alone, whatever its status says (rule 20.3.9).
func TestUsageOfThePodAsAWhole(t *testing.T) {
	for _, r := range outrank.Releases() {
		pod := &outrank.Pod{
			Name: "p", NodeName: "n", Resources: &resource.Requirements{Requests: list("cpu", "1")}, Containers: []outrank.Container{{Name: "c"}},
			AllocatedResources: list("cpu", "3"), Actual: list("cpu", "2"),
		}
		assert.True(t, quota.Usage(r, pod)["requests.cpu"].Equal(resource.New(1)), "%v: %v", r, quota.Usage(r, pod))
		assert.True(t, pod.RunningRequests(r)["cpu"].Equal(resource.New(3)), "the scheduler of %v looks at it", r)
		pod.ResizeInfeasible = true
		assert.True(t, quota.Usage(r, pod)["requests.cpu"].Equal(resource.New(1)), "%v: %v", r, quota.Usage(r, pod))
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("a", 64)
	limited := quota.Admission{Limited: []quota.Limited{{Resource: "pods", MatchScopes: []quota.Requirement{classes(outrank.In), classes(outrank.In, long)}}}}
	_, err := limited.Admit([]*quota.Quota{
		nil,
		hard("q", list("pods", "-1"), quota.Requirement{Scope: "Some"}, quota.Requirement{Scope: quota.BestEffort, Operator: outrank.In}, classes(outrank.Exists, "a"), classes(outrank.Gt, "1"), classes(outrank.In, long)),
		{Name: ""},
		{Namespace: "other", Name: "of no interest", Scopes: []quota.Requirement{{}}},
	}, quota.Pod{Pod: asks("", "1")})
	var input *outrank.InputError
	require.ErrorAs(t, err, &input)
	var got []string
	for _, p := range input.Problems {
		got = append(got, p.Object+" "+p.Field)
	}
	assert.Equal(t, []string{
		"limited pods matchScopes[0]", "limited pods matchScopes[1]",
		"resourcequota default/q spec.scopeSelector.matchExpressions[0]", "resourcequota default/q spec.scopeSelector.matchExpressions[1]",
		"resourcequota default/q spec.scopeSelector.matchExpressions[2]", "resourcequota default/q spec.scopeSelector.matchExpressions[3]",
		"resourcequota default/q status.hard.pods", "resourcequota default/q spec.scopeSelector.matchExpressions[4]",
		"resourcequota default/ metadata.name",
	}, got)
	_, err = urgent.Admit(nil, quota.Pod{})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = urgent.Admit(nil, quota.Pod{Pod: &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: list("cpu", "-1")}}}})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Error(t, hard("", list()).Validate())
	assert.NoError(t, hard("q", list("pods", "1"), classes(outrank.In, long)).Validate(), "the API server lets it in")
}

func TestRead(t *testing.T) {
	quotas, err := quota.Read(strings.NewReader(`{"kind": "List", "items": [
		{"kind": "Pod", "metadata": {"name": "p"}},
		{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "urgent", "namespace": "shop"},
		 "spec": {"hard": {"pods": "9"}, "scopes": ["NotBestEffort"], "scopeSelector": {"matchExpressions": [
			{"scopeName": "PriorityClass", "operator": "In", "values": ["urgent"]}]}},
		 "status": {"hard": {"pods": "10", "requests.cpu": "4"}, "used": {"pods": "3", "requests.cpu": "1500m"}}},
		{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "new"}, "spec": {"hard": {"pods": "9"}}}]}`))
	require.NoError(t, err)
	assert.Equal(t, []*quota.Quota{
		{
			Namespace: "shop", Name: "urgent", Hard: list("pods", "10", "requests.cpu", "4"), Used: list("pods", "3", "requests.cpu", "1500m"),
			Scopes: []quota.Requirement{scope(quota.NotBestEffort), classes(outrank.In, "urgent")},
		},
		{Name: "new", Hard: list("pods", "9")},
	}, quotas)

	_, err = quota.Read(strings.NewReader(`{"kind": "ResourceQuotaList", "items": [
		{"metadata": {"name": "q"}, "spec": {"scopes": ["X"]}, "status": {"hard": {"pods": "x"}, "used": {"pods": "-1"}}},
		{"metadata": {}, "spec": 3}, null]} nonsense`))
	var input *outrank.InputError
	require.ErrorAs(t, err, &input)
	for i, want := range []string{
		"resourcequota default/q: status.hard.pods:", "resourcequota default/q: spec.scopeSelector.matchExpressions[0]: there is no scope",
		"resourcequota default/q: status.used.pods: -1 is negative", "resourcequota (items[1]): spec:", "resourcequota (items[1]): metadata.name: missing",
	} {
		assert.Contains(t, input.Problems[i].String(), want)
	}
	assert.Contains(t, input.Problems[len(input.Problems)-1].String(), "not JSON")
}

// A limit has the form of the plugin's configuration.
func TestLimitedJSON(t *testing.T) {
	var a struct {
		Limited []quota.Limited `json:"limitedResources"`
	}
	require.NoError(t, json.Unmarshal([]byte(`{"limitedResources": [{"apiGroup": "", "resource": "pods", "matchScopes": [
		{"scopeName": "PriorityClass", "operator": "In", "values": ["urgent", "most-urgent"]}]}]}`), &a))
	assert.Equal(t, urgent.Limited, a.Limited)
}

// A quota that knows its usage lets a pod in exactly if, measured with the pod,
// nothing that the pod uses exceeds the limit; the usage that it then returns is
// the measured one.
func TestPropertyAllowedIsWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) quota.Pod {
			p := asks(rapid.SampledFrom([]string{"", "urgent", "usual"}).Draw(t, "class"), rapid.SampledFrom([]string{"1", "500m", "0"}).Draw(t, "cpu"))
			p.Name, p.Namespace = name, rapid.SampledFrom([]string{"", "default", "other"}).Draw(t, "namespace")
			p.Phase = rapid.SampledFrom([]outrank.Phase{"", "", outrank.PhaseFailed}).Draw(t, "phase")
			return quota.Pod{Pod: p, Deadline: rapid.Bool().Draw(t, "deadline")}
		}
		var pods []quota.Pod
		for i := range rapid.IntRange(0, 5).Draw(t, "pods") {
			pods = append(pods, draw("p"+string(rune('0'+i))))
		}
		asking := draw("asking")
		asking.Phase = ""
		q := &quota.Quota{Name: "q", Namespace: "default", Hard: resource.List{}}
		for _, name := range []resource.Name{"pods", "count/pods", "requests.cpu", "limits.cpu", "services"} {
			if rapid.Bool().Draw(t, "limits "+string(name)) {
				q.Hard[name] = resource.New(rapid.Int64Range(0, 4).Draw(t, "limit"))
			}
		}
		q.Scopes = rapid.SliceOfN(rapid.SampledFrom([]quota.Requirement{
			classes(outrank.In, "urgent"), classes(outrank.NotIn, "urgent"), scope(quota.PriorityClass), scope(quota.NotTerminating), scope(quota.BestEffort),
		}), 0, 2).Draw(t, "scopes")
		q.Used = q.Measure(0, pods)
		after := q.Measure(0, append(pods, asking))
		fits := true
		for name, amount := range after {
			if amount.Cmp(q.Used[name]) > 0 && amount.Cmp(q.Hard[name]) > 0 {
				fits = false
			}
		}
		v, err := (&quota.Admission{}).Admit([]*quota.Quota{q}, asking)
		require.NoError(t, err)
		require.Equal(t, fits, v.Reason == "", "%s", v.Message())
		if used, applies := v.Used["q"]; applies {
			require.True(t, after.Equal(used), "measured %v, said %v", after, used)
		} else if fits {
			require.True(t, after.Equal(q.Used))
		}
	})
}
