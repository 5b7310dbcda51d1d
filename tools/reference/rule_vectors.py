def write(path):
    pass
