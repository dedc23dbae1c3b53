package parts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	resourcequotaapi "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/resource"
)

// quotaResources are what quotas limit; the last ones are nothing that a pod takes.
var quotaResources = []string{
	"pods", "count/pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory", "ephemeral-storage",
	"requests.ephemeral-storage", "limits.ephemeral-storage", "requests.example.com/x", "hugepages-2Mi", "requests.hugepages-2Mi", "services", "count/jobs.batch",
}

// scopes draws requirements on the scope of pods.
func (d draw) scopes() (list []object) {
	for range 1 + d.IntN(2) {
		r := object{"scopeName": d.pick("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"), "operator": "Exists"}
		if d.oneIn(2) {
			r = object{"scopeName": "PriorityClass", "operator": d.pick("In", "In", "NotIn", "Exists", "DoesNotExist")}
			if op := r["operator"]; op == "In" || op == "NotIn" {
				r["values"] = []string{d.pick("urgent", "low", "system-node-critical", "x"), d.pick("urgent", "low")}
			}
		}
		list = append(list, r)
	}
	return list
}

// limits draws what the configuration of the admission plugin limits.
func (d draw) limits(t *testing.T) (theirs []resourcequotaapi.LimitedResource, ours []quota.Limited, text string) {
	for range d.IntN(3) {
		o := object{"resource": d.pick("pods", "pods", "services")}
		if d.oneIn(3) {
			o["matchContains"] = []string{d.pick("cpu", "requests.", "pods", "example.com", "zzz")}
		}
		if d.oneIn(2) {
			o["matchScopes"] = d.scopes()
		}
		var matches struct {
			MatchContains []string
			MatchScopes   []corev1.ScopedResourceSelectorRequirement
		}
		var own quota.Limited
		text += "\nlimited " + both(t, o, &matches, &own)
		theirs = append(theirs, resourcequotaapi.LimitedResource{Resource: own.Resource, MatchContains: matches.MatchContains, MatchScopes: matches.MatchScopes})
		ours = append(ours, own)
	}
	return theirs, ours, text
}

// quotas draws the quotas of a namespace. A few have not counted a resource yet.
func (d draw) quotas(t *testing.T) (theirs []corev1.ResourceQuota, ours []*quota.Quota, text string) {
	var items []object
	for i := range d.IntN(4) {
		hard, used, spec := object{}, object{}, object{}
		for range 1 + d.IntN(3) {
			name := d.pick(quotaResources...)
			hard[name] = d.pick("0", "1", "2", "3", "1Gi", "10Gi", "100")
			if !d.oneIn(12) {
				used[name] = d.pick("0", "0", "1", "512Mi", "2")
			}
		}
		spec["hard"] = hard
		if d.oneIn(4) {
			spec["scopes"] = []string{d.pick("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity")}
		}
		if d.oneIn(2) {
			spec["scopeSelector"] = object{"matchExpressions": d.scopes()}
		}
		items = append(items, object{
			"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": fmt.Sprint("q", i), "namespace": "default"},
			"spec": spec, "status": object{"hard": hard, "used": used},
		})
	}
	written, err := json.Marshal(object{"kind": "List", "items": items})
	require.NoError(t, err)
	var list struct{ Items []corev1.ResourceQuota }
	require.NoError(t, json.Unmarshal(written, &list))
	ours, err = quota.Read(strings.NewReader(string(written)))
	require.NoError(t, err, "%s", written)
	return list.Items, ours, "\n" + string(written)
}

// applicant is a pod that asks to be created.
type applicant struct {
	theirs *corev1.Pod
	ours   quota.Pod
	text   string
}

func (d draw) applicant(t *testing.T) *applicant {
	a := &applicant{theirs: &corev1.Pod{}, ours: quota.Pod{Pod: &outrank.Pod{}}}
	spec := d.podSpec()
	if class := d.pick("", "urgent", "low", "system-node-critical", "gone"); class != "" {
		spec["priorityClassName"] = class
	}
	if a.ours.Deadline = d.oneIn(4); a.ours.Deadline {
		spec["activeDeadlineSeconds"] = 10
	}

	// A term that looks into other namespaces is a scope of its own. Outrank has preferred terms from its caller.
	term := object{"topologyKey": "zone", "labelSelector": object{"matchLabels": object{"a": "b"}}}
	across := d.oneIn(2)
	if across {
		term["namespaceSelector"] = object{}
	}
	switch kind := d.pick("podAffinity", "podAntiAffinity"); d.IntN(6) {
	case 0:
		spec["affinity"] = object{kind: object{"requiredDuringSchedulingIgnoredDuringExecution": []object{term}}}
	case 1:
		a.ours.PrefersAcross = across
		spec["affinity"] = object{kind: object{"preferredDuringSchedulingIgnoredDuringExecution": []object{{"weight": 1, "podAffinityTerm": term}}}}
	}
	a.text = both(t, object{"metadata": object{"name": "p", "namespace": "default", "uid": "u"}, "spec": spec}, a.theirs, a.ours.Pod)
	return a
}

// sameAmounts requires two lists to be equal, of which either may leave out what is 0.
func sameAmounts(t *testing.T, want corev1.ResourceList, got resource.List, text string) {
	for name, q := range want {
		require.True(t, equalAmounts(q.AsDec().String(), got[resource.Name(name)]), "%s: the reference has %s, outrank %v\n%s", name, q.String(), got, text)
	}
	for name, q := range got {
		theirs := want[corev1.ResourceName(name)]
		require.True(t, equalAmounts(theirs.AsDec().String(), q), "%s: the reference has %s, outrank %v\n%s", name, theirs.String(), q, text)
	}
}

// Pods are admitted to quotas as the API server's plugin admits them, with the same words, and the usage afterwards is the
// same (chapter 20).
func TestQuotaAdmission(t *testing.T) {
	reasons := map[string]int{}
	now := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	evaluator := core.NewPodEvaluator(nil, now)
	for i := range *cases / 4 {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		a := d.applicant(t)
		theirs, ours, text := d.quotas(t)
		limited, limits, more := d.limits(t)
		text = a.text + text + more

		attributes := admission.NewAttributesRecord(a.theirs, nil, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "default", "p",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, &metav1.CreateOptions{}, false, nil)
		after, wantErr := resourcequota.CheckRequest(theirs, attributes, evaluator, limited)
		admitter := quota.Admission{Limited: limits}
		got, err := admitter.Admit(ours, a.ours)
		require.NoError(t, err, text)
		reasons[got.Reason]++
		if wantErr != nil {
			require.Equal(t, wantErr.Error(), got.Message(), text)
			continue
		}
		require.Empty(t, got.Reason, text)
		for n := range after {
			want := after[n].Status.Used
			if used, applies := got.Used[after[n].Name]; applies {
				sameAmounts(t, want, used, text)
			} else {
				require.Equal(t, theirs[n].Status.Used, want, text)
			}
		}
	}
	t.Logf("%d pods from seed %d, by the reason of a refusal: %v", *cases/4, *seed, reasons)
	require.Len(t, reasons, 6, "each reason, and none")
}
