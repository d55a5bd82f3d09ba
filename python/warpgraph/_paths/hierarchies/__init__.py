"""Parts of wg.Hierarchy: files, customization, rows of many_to_many."""
