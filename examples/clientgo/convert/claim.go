package convert

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// The annotations of a claim that are read.
const (
	// boundAnnotation marks a claim whose binding is final.
	boundAnnotation = "pv.kubernetes.io/bind-completed"
	// classAnnotation replaces a claim's storageClassName.
	classAnnotation = "volume.beta.kubernetes.io/storage-class"
)

// Claim converts the claim itself: whether it is for a single pod, lost or being deleted. [BindingOf] and
// [Bind] add its volume.
func Claim(c *corev1.PersistentVolumeClaim) (*outrank.VolumeClaim, error) {
	if c == nil {
		return nil, missing("persistentvolumeclaim")
	}
	ps := claimProblems(c)
	for i, mode := range c.Spec.AccessModes {
		switch mode {
		case corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod:
		default:
			word(&ps, mode, "spec.accessModes["+strconv.Itoa(i)+"]", corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod)
		}
	}
	out := claimOf(c)
	if err := ps.with((&outrank.Cluster{Claims: []*outrank.VolumeClaim{out}}).Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

func claimProblems(c *corev1.PersistentVolumeClaim) problems {
	return problems{kind: "persistentvolumeclaim", namespace: orDefault(c.Namespace), name: c.Name}
}

func claimOf(c *corev1.PersistentVolumeClaim) *outrank.VolumeClaim {
	out := &outrank.VolumeClaim{Name: c.Name, Namespace: c.Namespace}
	out.Volume.OncePod = slices.Contains(c.Spec.AccessModes, corev1.ReadWriteOncePod)
	switch {
	case c.Status.Phase == corev1.ClaimLost:
		out.Volume.State, out.Volume.MissingVolume = outrank.ClaimLost, c.Spec.VolumeName
	case !c.DeletionTimestamp.IsZero():
		out.Volume.State = outrank.ClaimDeleting
	}
	return out
}

// Binding is a claim's reference to its volume.
type Binding struct {
	// Volume is the name of the PersistentVolume, and Class the name of the StorageClass. Both may be empty.
	Volume, Class string
	// Completed says that the binding is final.
	Completed bool
}

// BindingOf returns the claim's reference to its volume.
func BindingOf(c *corev1.PersistentVolumeClaim) Binding {
	b := Binding{Volume: c.Spec.VolumeName, Class: valueOf(c.Spec.StorageClassName)}
	_, b.Completed = c.Annotations[boundAnnotation]
	if class, ok := c.Annotations[classAnnotation]; ok {
		b.Class = class
	}
	return b
}

// Bind returns a claim with its volume or, if the volume does not exist, with the driver that its class uses.
// volume and class are nil if they do not exist. The claim comes from [Claim] and is not changed. Its own state
// takes precedence over that of the volume.
func Bind(c *outrank.VolumeClaim, b Binding, volume *outrank.Volume, class *Class) *outrank.VolumeClaim {
	bound := *c
	v := &bound.Volume

	// The fields of the volume replace those of the claim, except for the claim's own state.
	there := volume != nil && b.Volume != "" && v.State != outrank.ClaimLost
	if there {
		once, state := v.OncePod, v.State
		*v = *volume
		v.OncePod, v.State = once, state
	} else if class != nil {
		v.Driver = class.Driver
	}
	if v.State != "" {
		return &bound
	}

	// A claim whose class waits for the first pod may lack a volume. Any other claim has to be bound.
	waits := class != nil && class.Waits
	switch {
	case b.Volume != "" && b.Completed && !there:
		v.State, v.MissingVolume = outrank.ClaimVolumeMissing, b.Volume
	case b.Volume != "" && !b.Completed, b.Volume == "" && !waits:
		v.State = outrank.ClaimUnbound
	}
	return &bound
}
