package kube

import "github.com/outrank-go/outrank"

// The values of the field "kind".
const (
	kindPod          = "Pod"
	kindNode         = "Node"
	kindBudget       = "PodDisruptionBudget"
	kindClass        = "PriorityClass"
	kindNamespace    = "Namespace"
	kindGroup        = "PodGroup"
	kindComposite    = "CompositePodGroup"
	kindWorkload     = "Workload"
	kindClaim        = "PersistentVolumeClaim"
	kindVolume       = "PersistentVolume"
	kindStorageClass = "StorageClass"
	kindCSINode      = "CSINode"
	kindCSIDriver    = "CSIDriver"
	kindStatus       = "Status"
)

// strictGroups is the supplementalGroupsPolicy that only some nodes support.
const strictGroups = "Strict"

// restartsAlways is the restart policy of an init container that keeps running.
const restartsAlways = "Always"

// restartAllAction is the action of a restart policy rule that restarts every
// container of the pod.
const restartAllAction = "RestartAllContainers"

// Values of fields of claims and storage classes.
const (
	oncePodMode = "ReadWriteOncePod"
	phaseLost   = "Lost"
	waitsForPod = "WaitForFirstConsumer"
	bindsAtOnce = "Immediate"
)

// The values that each field may have. The fields become a bool, in which an unknown value would go unnoticed.
var (
	groupsPolicies  = []string{"Merge", strictGroups}
	restartPolicies = []string{restartsAlways, "OnFailure", "Never"}
	restartActions  = []string{"Restart", restartAllAction}
	accessModes     = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", oncePodMode}
	bindingModes    = []string{bindsAtOnce, waitsForPod}
	// conditionStatuses is only for groups: the conditions of a pod may have any status.
	conditionStatuses = []string{"True", "False", "Unknown"}
)

// zoneLabels lists the labels of a volume that say in which zone and region it is.
var zoneLabels = [...]string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel}
