package filter

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// The drivers of generated volumes. Each has at most three handles, so that pods share volumes, and nodes can
// attach few.
const (
	diskDriver = "disk.example.com"
	fileDriver = "file.example.com"
	ebsDriver  = "ebs.csi.aws.com" // attaches EBS disks
)

// drivers lists the drivers of generated volumes.
var drivers = []string{diskDriver, fileDriver, ebsDriver}

// attached returns the volume of a claim that a driver attaches. A name means the same claim in every drawn pod.
func attached(name, driver, handle string) outrank.Volume {
	return outrank.Volume{Claim: name, Driver: driver, Handle: handle}
}

// add adds volumes to a pod. The list is copied, so that no other pod shares it.
func add(p *outrank.Pod, volumes ...outrank.Volume) {
	p.Volumes = append(p.Volumes[:len(p.Volumes):len(p.Volumes)], volumes...)
}

// addEphemeral adds an ephemeral volume, whose claim is made along with the pod. The claim is named after the
// pod and the volume's place in the list (see [draw.Rename]).
func addEphemeral(p *outrank.Pod, v outrank.Volume) {
	v.Claim, v.Ephemeral = fmt.Sprintf("%s-e%d", p.Name, len(p.Volumes)), true
	add(p, v)
}

// hasVolumes reports whether the pod has volumes.
func hasVolumes(p *outrank.Pod) bool { return len(p.Volumes) > 0 }

// volumesOf returns the volumes of a pod, for its own updates.
func volumesOf(p *outrank.Pod) []any { return []any{p.Volumes} }
