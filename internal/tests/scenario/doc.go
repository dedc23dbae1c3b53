// The caller of [Run] defines the commands. [Line.Node], [Line.Pod] and [Cluster] read the objects that all
// scenarios are about, and describe their syntax.
package scenario
