package quota_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// mustBeStated lists the amounts that each container has to state where a quota limits them. The values name
// the list and the resource in which a container states them (rule 20.2.3).
var mustBeStated = map[resource.Name][2]string{
	"cpu": {"requests", "cpu"}, "requests.cpu": {"requests", "cpu"}, "limits.cpu": {"limits", "cpu"},
	"memory": {"requests", "memory"}, "requests.memory": {"requests", "memory"}, "limits.memory": {"limits", "memory"},
}

// drawRequirements draws requests and limits of some resources, each of them as likely left out.
func drawRequirements(t *rapid.T, names ...resource.Name) (r resource.Requirements) {
	for _, list := range []*resource.List{&r.Requests, &r.Limits} {
		*list = resource.List{}
		for _, name := range names {
			if rapid.Bool().Draw(t, "states "+string(name)) {
				(*list)[name] = resource.New(2 << 20)
			}
		}
	}
	return r
}

// drawContainers draws a pod whose containers state some of it, and perhaps the pod as a whole one thing.
func drawContainers(t *rapid.T) *outrank.Pod {
	pod := &outrank.Pod{Name: "p"}
	if rapid.Bool().Draw(t, "as a whole") {
		var one []resource.Name
		if name := rapid.SampledFrom([]resource.Name{"", "cpu", "memory", "hugepages-2Mi"}).Draw(t, "whole"); name != "" {
			one = append(one, name)
		}
		whole := drawRequirements(t, one...)
		pod.Resources = &whole
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "containers") {
		states := drawRequirements(t, "cpu", "memory")
		c := outrank.Container{Name: string(rune('a' + i)), Requests: states.Requests, Limits: states.Limits}
		if i == 2 {
			pod.InitContainers = append(pod.InitContainers, c)
		} else {
			pod.Containers = append(pod.Containers, c)
		}
	}
	return pod
}

// unstatedBy lists for each of the limits the containers that do not state it.
func unstatedBy(pod *outrank.Pod, limits resource.List) map[resource.Name][]string {
	out := map[resource.Name][]string{}
	if pod.Resources != nil && len(pod.Resources.Requests)+len(pod.Resources.Limits) > 0 {
		return out // let off
	}
	for name := range limits {
		where, ok := mustBeStated[name]
		for _, c := range append(slices.Clone(pod.Containers), pod.InitContainers...) {
			list := c.Requests
			if where[0] == "limits" {
				list = c.Limits
			}
			if _, stated := list[resource.Name(where[1])]; ok && !stated {
				out[name] = append(out[name], c.Name)
			}
		}
	}
	return out
}

// Under a quota of cpu or memory each container has to state what the quota limits. A pod with requests or
// limits of its own as a whole is let off, whichever of cpu, memory and huge pages they name (rule 20.2.3).
func TestPropertyWhoHasToStateWhat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, limits := drawContainers(t), resource.List{}
		for _, name := range []resource.Name{"pods", "cpu", "requests.cpu", "limits.cpu", "memory", "requests.memory", "limits.memory"} {
			if rapid.IntRange(0, 2).Draw(t, "limits "+string(name)) == 0 {
				limits[name] = resource.MustParse("1T")
			}
		}
		want := unstatedBy(pod, limits)

		v, err := (&quota.Admission{}).Admit([]*quota.Quota{hard("q", limits)}, quota.Pod{Pod: pod})
		require.NoError(t, err)
		if len(want) == 0 {
			require.Empty(t, v.Message(), "everything is stated, or need not be")
			return
		}
		require.Equal(t, want, v.Unstated)
		for name, containers := range want {
			require.Contains(t, v.Message(), string(name)+" for: "+strings.Join(containers, ","))
		}
	})
}
