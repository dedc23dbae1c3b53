package hostile

// Configs are forms of scheduler configurations that repeat one thing, by the name of what is repeated.
// [Written] makes a configuration of a form.
var Configs = map[string]string{
	"unknown plugins of a point":    inProfile(`"plugins":{"filter":{"enabled":[@{"name":"p%d"}@]}}`),
	"unknown plugins everywhere":    inProfile(`"plugins":{"multiPoint":{"enabled":[@{"name":"p%d"}@]}}`),
	"unknown plugins at two points": inProfile(`"plugins":{"multiPoint":{"enabled":[@{"name":"p%d"}@]},"filter":{"enabled":[@{"name":"p%d"}@]}}`),
	"plugins that are off":          inProfile(`"plugins":{"multiPoint":{"enabled":[@{"name":"p%d"}@]},"filter":{"disabled":[@{"name":"p%d"}@]}}`),
	"plugins with scores":           inProfile(`"plugins":{"score":{"enabled":[@{"name":"p%d","weight":2}@]}}`),
	"arguments":                     inProfile(`"pluginConfig":[@{"name":"p%d","args":{}}@]`),
	"default constraints":           inProfile(`"pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List","defaultConstraints":[@{"maxSkew":1,"topologyKey":"k%d","whenUnsatisfiable":"ScheduleAnyway"}@]}}]`),
	"balanced resources":            inProfile(`"pluginConfig":[{"name":"NodeResourcesBalancedAllocation","args":{"resources":[@{"name":"example.com/r%d"}@]}}]`),
	"profiles":                      inConfig(`"profiles":[@{"schedulerName":"s%d"}@]`),
	"extenders":                     inConfig(`"extenders":[@{"urlPrefix":"http://x","filterVerb":"f%d"}@]`),
	"profiles and extenders":        inConfig(`"profiles":[@{"schedulerName":"s%d"}@],"extenders":[@{"filterVerb":"f%d"}@]`),
}

func inConfig(part string) string {
	return `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",` + part + `}`
}

func inProfile(part string) string { return inConfig(`"profiles":[{` + part + `}]`) }
