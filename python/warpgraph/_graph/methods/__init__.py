"""Methods of wg.Graph, by theme."""
