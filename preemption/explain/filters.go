package explain

import (
	"slices"

	"github.com/outrank-go/outrank/internal/filter"
)

// explanation has the functions that explain the failure of one filter.
type explanation struct {
	// name fills in the things that an obstacle of the filter names.
	name func(*finder, *Obstacle, *place)
	// change removes the obstacle: it changes the pod, the node or pods of the scratch. It changes nothing if no
	// change is known that helps.
	change func(*changing, *Obstacle) error
}

// explanations has the explanation of each filter of the library.
var explanations = filter.Table[explanation]{
	filter.NodeUnschedulable: {(*finder).nameCordon, (*changing).uncordon},
	filter.NodeName:          {func(f *finder, o *Obstacle, _ *place) { o.nameNode(f.pod) }, (*changing).unasked},
	filter.TaintToleration:   {(*finder).nameTaints, (*changing).tolerate},
	filter.NodeAffinity:      {(*finder).nameLabels, (*changing).dropLabels},
	filter.NodePorts:         {(*finder).namePorts, (*changing).dropPorts},
	filter.DeferredPodScheduling: {
		func(_ *finder, o *Obstacle, at *place) { o.Names = slices.Clone(at.node.DisableResizePreemption) }, (*changing).allowResize,
	},
	filter.NodeResourcesFit:     {func(f *finder, o *Obstacle, at *place) { o.Short = shortOf(f.room(at)) }, (*changing).makeRoom},
	filter.VolumeRestrictions:   {(*finder).nameDisks, (*changing).dropVolumes},
	filter.NodeVolumeLimits:     {(*finder).nameLimits, (*changing).dropAttached},
	filter.VolumeBinding:        {(*finder).nameBinding, (*changing).dropVolumes},
	filter.VolumeZone:           {(*finder).nameZones, (*changing).dropVolumes},
	filter.PodTopologySpread:    {(*finder).nameSpread, (*changing).dropSpread},
	filter.InterPodAffinity:     {(*finder).nameNeighbours, (*changing).dropNeighbours},
	filter.NodeDeclaredFeatures: {(*finder).nameFeatures, (*changing).declare},
}
