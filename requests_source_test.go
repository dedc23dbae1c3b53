package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Each rule of group 2.2 that differs between releases, as a pod on a node and what it
// counts with in v1.36 and in v1.37.
func TestRequestsBySource(t *testing.T) {
	const infeasible = `"conditions": [{"type": "PodResizePending", "reason": "Infeasible"}]`
	containers := func(kind string, cs ...string) string { return fmt.Sprintf(`%q: [%s]`, kind, strings.Join(cs, ",")) }
	asks := func(name, cpu string) string {
		return fmt.Sprintf(`{"name": %q, "resources": {"requests": {"cpu": %q}}}`, name, cpu)
	}
	says := func(name, cpu string) string {
		return fmt.Sprintf(`{"name": %q, "allocatedResources": {"cpu": %[2]q}, "resources": {"requests": {"cpu": %[2]q}}}`, name, cpu)
	}
	join := func(fields ...string) string { return strings.Join(fields, ",") }
	one := containers("containers", asks("a", "100m"))
	podLevel := `"resources": {"requests": {"cpu": "1"}}`
	for _, test := range []struct {
		name, spec, status string
		resource           resource.Name
		old, new           int64
	}{
		{"two containers in opposite directions", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", says("a", "100m"), says("b", "500m")), "cpu", 1000, 600},
		{"an init container's status", join(one, containers("initContainers", asks("i", "100m"))),
			containers("initContainerStatuses", says("i", "900m")), "cpu", 100, 900},
		{"allocated without resources", one, containers("containerStatuses", `{"name": "a", "allocatedResources": {"cpu": "500m"}}`), "cpu", 100, 500},
		{"infeasible without status", containers("containers", asks("a", "500m")), infeasible, "cpu", 500, 0},
		{"infeasible, an init container by its spec", join(one, containers("initContainers", asks("i", "900m"))),
			join(infeasible, containers("containerStatuses", says("a", "200m"))), "cpu", 900, 200},
		{"infeasible, one container has a status", containers("containers", asks("a", "500m"), asks("b", "300m")),
			join(infeasible, containers("containerStatuses", says("a", "200m"))), "cpu", 500, 200},
		{"the second condition is not looked at", containers("containers", asks("a", "500m")),
			`"conditions": [{"type": "PodResizePending", "reason": "Deferred"}, {"type": "PodResizePending", "reason": "Infeasible"}]`, "cpu", 500, 500},
		{"a missing resource in a list that is there is 0", containers("containers", asks("a", "500m")),
			join(infeasible, containers("containerStatuses", `{"name": "a", "allocatedResources": {"memory": "1"}, "resources": {}}`)), "cpu", 0, 0},
		{"an empty list is there", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", `{"name": "a", "resources": {"requests": {}}}`, says("b", "600m")), "cpu", 1100, 1100},
		{"an empty list in both", containers("containers", asks("a", "500m"), asks("b", "100m")),
			containers("containerStatuses", `{"name": "a", "allocatedResources": {}, "resources": {"requests": {}}}`, says("b", "600m")), "cpu", 1100, 600},
		{"without requests in force what is allocated counts", one, containers("containerStatuses", `{"name": "a", "allocatedResources": {"cpu": "300m"}, "resources": {}}`), "cpu", 300, 300},
		{"the pod's status without a pod-level spec", one,
			`"allocatedResources": {"cpu": "300m"}, "resources": {"requests": {"cpu": "700m"}}`, "cpu", 100, 700},
		{"the pod's status in place of the containers'", one,
			join(`"allocatedResources": {"cpu": "200m"}, "resources": {"requests": {"cpu": "200m"}}`, containers("containerStatuses", says("a", "900m"))), "cpu", 900, 200},
		{"the pod's status without resources", one,
			join(`"allocatedResources": {"cpu": "200m"}`, containers("containerStatuses", says("a", "900m"))), "cpu", 900, 900},
		{"pod-level memory in the status alone", join(podLevel, `"containers": [{"name": "a", "resources": {"requests": {"memory": "64Mi"}}}]`),
			`"allocatedResources": {"cpu": "1", "memory": "512Mi"}, "resources": {"requests": {"cpu": "1", "memory": "512Mi"}}`, "memory", 64 << 20, 512 << 20},
		{"pod-level, the largest of the three", join(podLevel, one),
			`"allocatedResources": {"cpu": "3"}, "resources": {"requests": {"cpu": "2"}}`, "cpu", 3000, 3000},
		{"pod-level, infeasible", join(podLevel, one),
			join(infeasible, `"allocatedResources": {"cpu": "200m"}, "resources": {"requests": {"cpu": "300m"}}`), "cpu", 300, 300},
		{"pod-level, infeasible and without a status", join(podLevel, one), infeasible, "cpu", 1000, 1000},
		{"a status among those of the other sort", one, containers("initContainerStatuses", says("a", "300m")), "cpu", 300, 300},
		{"overhead comes last", join(one, `"overhead": {"cpu": "50m"}`), containers("containerStatuses", says("a", "300m")), "cpu", 350, 350},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n", %s}, "status": {%s}}`, test.spec, test.status)
			p, err := outrank.ReadPod(strings.NewReader(text))
			require.NoError(t, err)
			for r, want := range map[outrank.Release]int64{outrank.V1_36: test.old, outrank.V1_37: test.new} {
				assert.Equal(t, want, p.RunningRequestsIn(r).Amount(test.resource), "%v", r)
				assert.Equal(t, want, resource.Amount(test.resource, p.RunningRequestOfIn(r, test.resource)), "%v, one resource", r)
			}
			assert.Empty(t, cmp.Diff(p.RunningRequestsIn(outrank.DefaultRelease), p.RunningRequests()))
			written, err := p.MarshalJSON()
			require.NoError(t, err)
			again, err := outrank.ReadPod(strings.NewReader(string(written)))
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(p, again), "written and read")
		})
	}
}
