package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/claimed"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption/kube"
)

// deviceKinds are the kinds that are read in addition to those of kubectl whatif.
var deviceKinds = []string{"resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses", "devicetaintrules"}

// dumpCommand prints a dump with everything that an answer may depend on.
const dumpCommand = "kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses -A -o json"

// dump is a cluster with its devices.
type dump struct {
	source  string
	cluster *outrank.Cluster
	objects devices.Objects
	// templates has the templates of claims by namespace and name.
	templates map[outrank.Key]*resourcev1.ResourceClaimTemplate
	// doubts are caveats about the time of the answer, as sentences.
	doubts []string
}

// readDump reads the output of kubectl get twice: once as a cluster, and once for the objects about devices. It
// holds the text in memory for that.
func readDump(source string, r io.Reader) (*dump, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s is empty; fill it with %s", source, dumpCommand)
	}

	d := &dump{source: source, templates: map[outrank.Key]*resourcev1.ResourceClaimTemplate{}}
	if d.cluster, err = kube.ReadCluster(bytes.NewReader(text)); err != nil {
		return nil, console.Unusable(source, err)
	}
	if len(d.cluster.Nodes) == 0 {
		return nil, fmt.Errorf("%s: the dump holds no nodes; did you forget nodes in %s?", source, dumpCommand)
	}

	// Only pods that depend on devices are also read as API objects.
	wanted := map[outrank.Key]bool{}
	for _, p := range d.cluster.Pods {
		wanted[p.Key()] = concerns(p)
	}

	// A list of one kind need not name the kind of its entries. input.Each fills it in.
	var objects bytes.Buffer
	err = input.Each(bytes.NewReader(text), func(o input.Object) error {
		if o.Kind == "Pod" && !wanted[outrank.NewKey(o.Namespace, o.Name)] {
			return nil
		}
		return d.keep(&objects, o)
	})

	if err == nil {
		d.objects, err = devices.Read(&objects)
	}
	if err == nil {
		err = d.objects.Validate()
	}
	if err != nil {
		return nil, console.Unusable(source, err)
	}
	d.identify()
	return d, nil
}

// keep adds the text of an object about devices to the text to be read. It stores templates separately, and
// ignores other objects.
func (d *dump) keep(to *bytes.Buffer, o input.Object) error {
	switch o.Kind {
	case "ResourceClaimTemplate":
		t := &resourcev1.ResourceClaimTemplate{}
		if o.APIVersion != resourcev1.SchemeGroupVersion.String() {
			return problem("resourceclaimtemplate "+o.Name, "apiVersion", fmt.Sprintf("%q; %s is read", o.APIVersion, resourcev1.SchemeGroupVersion))
		}
		if err := json.Unmarshal(o.Raw, t); err != nil {
			return problem("resourceclaimtemplate "+o.Name, "", err.Error())
		}
		devices.Complete(&t.Spec.Spec)
		d.templates[outrank.NewKey(t.Namespace, t.Name)] = t
	case "Pod", "ResourceClaim", "ResourceSlice", "DeviceClass", "DeviceTaintRule":
		to.Write(o.Raw)
		to.WriteByte('\n')
	}
	return nil
}

// identify gives claims without a UID one, because claims are told apart by it.
func (d *dump) identify() {
	for _, c := range d.objects.Claims {
		if c.UID == "" {
			c.UID = types.UID("claim " + string(claimKey(c)))
		}
	}
}

// concerns reports whether decisions about devices may depend on a pod.
func concerns(p *outrank.Pod) bool {
	if claimed.Backing(nil).Concerns(p) {
		return true
	}
	for name := range p.Requests() {
		if name.IsExtended() {
			return true
		}
	}
	return false
}

// podOf returns the API object of a pod. It is nil for a pod that does not depend on devices.
func (d *dump) podOf(key outrank.Key) *corev1.Pod {
	namespace, name := key.Split()
	for _, p := range d.objects.Pods {
		if p.Name == name && cmp.Or(p.Namespace, outrank.DefaultNamespace) == namespace {
			return p
		}
	}
	return nil
}

// claim finds a claim by its name. It returns nil if there is none.
func (d *dump) claim(key outrank.Key) *resourcev1.ResourceClaim {
	namespace, name := key.Split()
	for _, c := range d.objects.Claims {
		if c.Name == name && cmp.Or(c.Namespace, outrank.DefaultNamespace) == namespace {
			return c
		}
	}
	return nil
}

// claimKey returns the namespace and the name of a claim.
func claimKey(c *resourcev1.ResourceClaim) outrank.Key { return outrank.NewKey(c.Namespace, c.Name) }

// problem is an error about one field of an object.
func problem(object, field, text string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: object, Field: field, Text: text}}}
}

// some lists at most most names, and says how many more there are.
func some(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}
