package quota_test

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// Pods of the class urgent can be created where a quota is for them, and as many as
// that quota allows.
func ExampleAdmission_Admit() {
	quotas, err := quota.Read(strings.NewReader(`{
		"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few", "namespace": "shop"},
		"spec": {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["urgent"]}]}},
		"status": {"hard": {"pods": "2"}, "used": {"pods": "1"}}}`))
	if err != nil {
		panic(err)
	}
	admission := quota.Admission{Limited: []quota.Limited{{
		Resource:    "pods",
		MatchScopes: []quota.Requirement{{Scope: quota.PriorityClass, Operator: outrank.In, Values: []string{"urgent"}}},
	}}}
	for _, key := range []string{"shop/a", "shop/b", "blog/c"} {
		namespace, name, _ := strings.Cut(key, "/")
		pod := &outrank.Pod{Namespace: namespace, Name: name, PriorityClassName: "urgent"}
		v, err := admission.Admit(quotas, quota.Pod{Pod: pod})
		if err != nil {
			panic(err)
		}
		if v.Reason == "" {
			fmt.Println(key, "is created")
			quotas[0].Used = v.Used["few"]
		} else {
			fmt.Println(key, "is not:", v.Message())
		}
	}
	// Output:
	// shop/a is created
	// shop/b is not: pods "b" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2
	// blog/c is not: insufficient quota to match these scopes: [{PriorityClass In [urgent]}]
}

func ExampleUsage() {
	fmt.Println(quota.Usage(outrank.DefaultRelease, &outrank.Pod{Name: "a", Containers: []outrank.Container{{
		Requests: resource.MustList("cpu", "500m"), Limits: resource.MustList("cpu", "1"),
	}}}))
	// Output: count/pods: 1, cpu: 500m, limits.cpu: 1, pods: 1, requests.cpu: 500m
}

func ExampleQuota_Measure() {
	q := &quota.Quota{Name: "few", Hard: resource.MustList("pods", "2"), Scopes: []quota.Requirement{
		{Scope: quota.PriorityClass, Operator: outrank.In, Values: []string{"urgent"}},
	}}
	fmt.Println(q.Measure(outrank.DefaultRelease, []quota.Pod{
		{Pod: &outrank.Pod{Name: "a", PriorityClassName: "urgent"}}, {Pod: &outrank.Pod{Name: "b", PriorityClassName: "usual"}},
	}))
	// Output: pods: 1
}

func ExampleQuota_Validate() {
	q := &quota.Quota{Name: "few", Scopes: []quota.Requirement{{Scope: quota.PriorityClass, Operator: outrank.In}}}
	fmt.Println(q.Validate())
	// Output: resourcequota default/few: spec.scopeSelector.matchExpressions[0]: the operator In needs values
}

func ExampleRead() {
	quotas, err := quota.Read(strings.NewReader(`{"kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "2"}}}`))
	fmt.Println(quotas[0].Name, quotas[0].Hard, err)
	// Output: few pods: 2 <nil>
}

func ExampleVerdict_Message() {
	q := &quota.Quota{Name: "few", Hard: resource.MustList("pods", "0"), Used: resource.MustList("pods", "0")}
	v, err := (&quota.Admission{}).Admit([]*quota.Quota{q}, quota.Pod{Pod: &outrank.Pod{Name: "a"}})
	fmt.Println(v.Message(), err)
	// Output: pods "a" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0 <nil>
}
