"""Reading robots from files of other programs: URDF and MJCF.

Nothing in a file is executed or fetched. Text is parsed with bounds, files that it names are only read below one folder, and
what cannot be said of a `Robot` is listed.

    xml         elements with their lines, safely parsed; their numbers and words
    folder      files that a file names, kept below a folder
    mesh        the vertices and triangles of STL, OBJ and DAE files
    blueprint   links, joints, frames and shapes as a file has them, with names that a robot may not have
    feet        which links are feet, and their soles
    assemble    from a blueprint to a Robot
    urdf, mjcf  the two formats
"""
